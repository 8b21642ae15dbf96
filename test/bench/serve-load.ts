/**
 * Load on one address over connections that are kept, each with one request under way; every answer must hold its own
 * message.
 *   bun serve-load.ts ORIGIN FACE CONNECTIONS MS
 * FACE is `tools` (POST /tools), `tool` (POST /tools/NAME), `modern` or `legacy` (the gateway in each era; a bare proxy takes
 * both). Prints JSON: calls, ms, and the 99th percentile in ms.
 */
const [origin = "", face = "", connections = "1", duration = "1000"] = Bun.argv.slice(2);
const { hostname, port, host } = new URL(origin);
const both = "application/json, text/event-stream";
const accept = `Accept: ${both}\r\n`;
const times: number[] = [];
let lastId = 0;
const faces: Record<string, Face> = {
  tools: { path: "/tools", body: (args) => ({ tool: "echo", params: args }) },
  tool: { path: "/tools/echo", body: (args) => args },
  modern: { path: "/mcp", headers: modernHeaders(), body: (args) => call(args, modernMeta()) },
  legacy: { path: "/mcp", headers: await sessionHeaders(), body: (args) => call(args) },
};
const { path, headers = "", body } = faces[face] ?? faces["tools"]!;

await load(300);
times.length = 0;
const ms = await load(Number(duration));
times.sort((a, b) => a - b);
const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
console.log(JSON.stringify({ calls: times.length, ms, p99 }));
process.exit(0);

// --- internal ---

async function load(forMs: number): Promise<number> {
  const started = performance.now();
  const end = started + forMs;
  await Promise.all(Array.from({ length: Number(connections) }, (_, i) => connection(i, end)));
  return performance.now() - started;
}

/** One request after another until the time is over. */
async function connection(index: number, end: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let sent = 0;
  let sentAt = 0;
  let answer = "";
  const next = (socket: Bun.Socket) => {
    sentAt = performance.now();
    if (sentAt > end) return void socket.end();
    sent += 1;
    answer = "";
    socket.write(request(`m${index}-${sent}-`));
  };
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: next,
      data(socket, data) {
        answer += data.toString();
        const head = answer.indexOf("\r\n\r\n");
        const [, length] = /content-length: (\d+)/i.exec(answer) ?? [];
        if (head < 0 || answer.length < head + 4 + Number(length)) return;
        if (!answer.includes(`m${index}-${sent}-`)) reject(new Error(`a wrong answer: ${answer}`));
        times.push(performance.now() - sentAt);
        next(socket);
      },
      close: () => resolve(),
      error: (_socket, error) => reject(error),
    },
  });
  await promise;
}

interface Face {
  path: string;
  /** Each ends with CRLF. */
  headers?: string;
  body: (args: object) => object;
}

function request(message: string): string {
  const text = JSON.stringify(body({ message }));
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${headers}`;
  return `${head}Content-Length: ${text.length}\r\n\r\n${text}`;
}

function call(args: object, more: object = {}): object {
  const params = { name: "echo", arguments: args, ...more };
  lastId += 1;
  return { jsonrpc: "2.0", id: lastId, method: "tools/call", params };
}

function modernMeta(): object {
  const own = "io.modelcontextprotocol/";
  return { _meta: { [`${own}protocolVersion`]: "2026-07-28", [`${own}clientCapabilities`]: {} } };
}

function modernHeaders(): string {
  const own = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n";
  return `${accept}${own}`;
}

/** Those of a session that was begun here; a bare proxy has none. */
async function sessionHeaders(): Promise<string> {
  if (face !== "legacy") return "";
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "load" } };
  const response = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: { accept: both, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  });
  await response.arrayBuffer();
  const id = response.headers.get("mcp-session-id");
  return id === null ? accept : `${accept}Mcp-Session-Id: ${id}\r\n`;
}
