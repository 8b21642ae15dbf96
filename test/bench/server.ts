/** The tiny server that everything is measured on: `echo(message)` and `big(bytes)`. It starts fast and does nothing else. */
const out = Bun.stdout.writer();
const decoder = new TextDecoder();
let rest = "";

for await (const chunk of Bun.stdin.stream()) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
  rest = lines.pop()!;
  for (const line of lines) answer(JSON.parse(line));
  await out.flush();
}

// --- internal ---

interface Request {
  id?: number | string;
  method: string;
  params: {
    protocolVersion?: string;
    name?: string;
    arguments?: { message?: string; bytes?: number };
  };
}

function answer({ id, method, params }: Request): void {
  if (id === undefined) return;
  const result = resultOf(method, params);
  const error = { code: -32601, message: "no such method" };
  out.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) })}\n`);
}

function resultOf(method: string, params: Request["params"]) {
  if (method === "initialize") {
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "bench", version: "1.0.0" },
    };
  }
  if (method === "tools/list") return { tools: [tool("echo", "message"), tool("big", "bytes")] };
  if (method !== "tools/call") return undefined;
  const { message, bytes } = params.arguments ?? {};
  const text = params.name === "big" ? "x".repeat(bytes ?? 0) : (message ?? "");
  return { content: [{ type: "text", text }] };
}

function tool(name: string, argument: string) {
  const type = argument === "bytes" ? "integer" : "string";
  const properties = { [argument]: { type } };
  return { name, inputSchema: { type: "object", properties, required: [argument] } };
}
