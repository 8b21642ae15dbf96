/**
 * The floor of what is done over HTTP: the requests alone, in the order and with the bodies of a host, and nothing kept,
 * checked or told.
 *   bun remote-floor.ts URL modern|legacy MESSAGE            prints the text of one call
 *   bun remote-floor.ts URL modern|legacy MESSAGE CALLS WIDTH  prints JSON: `ms` for all calls, `width` of them at a time
 */
const [url, era, message, calls, width] = Bun.argv.slice(2) as [
  string,
  string,
  string,
  ...string[],
];
const isModern = era === "modern";
const headers: Record<string, string> = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
let lastId = 0;

if (!isModern) await greet();
if (calls === undefined) {
  await post("tools/list", {});
  const stdout = Bun.stdout.writer();
  stdout.write(`${await call()}\n`);
  await stdout.flush();
  if (!isModern) await fetch(url, { method: "DELETE", headers });
} else {
  await inFlight(20_000, Number(width));
  const started = performance.now();
  await inFlight(Number(calls), Number(width));
  console.log(JSON.stringify({ ms: performance.now() - started, calls: Number(calls) }));
}
process.exit(0);

// --- internal ---

async function greet(): Promise<void> {
  const response = await send({
    id: ++lastId,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "floor", version: "1.0.0" },
    },
  });
  await response.json();
  headers["mcp-session-id"] = response.headers.get("mcp-session-id") ?? "";
  headers["mcp-protocol-version"] = "2025-11-25";
  await send({ method: "notifications/initialized" });
  // The stream of the server's own, which nothing waits for.
  fetch(url, { headers: { ...headers, accept: "text/event-stream" } }).catch(() => {});
}

async function call(): Promise<string> {
  const result = await post("tools/call", { name: "echo", arguments: { message } }, "echo");
  return (result as { content: { text: string }[] }).content[0]!.text;
}

async function post(method: string, params: object, name?: string): Promise<unknown> {
  const id = ++lastId;
  const _meta = {
    progressToken: id,
    ...(isModern && {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "floor", version: "1.0.0" },
    }),
  };
  const own = isModern && {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  };
  const response = await send({ id, method, params: { ...params, _meta } }, own || {});
  return ((await response.json()) as { result: unknown }).result;
}

function send(fields: object, more: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { ...headers, ...more },
    body: JSON.stringify({ jsonrpc: "2.0", ...fields }),
  });
}

async function inFlight(count: number, atOnce: number): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      if ((await call()) !== message) throw new Error("wrong echo");
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
