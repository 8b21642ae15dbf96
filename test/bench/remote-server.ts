/**
 * The bare MCP server over HTTP that everything remote is measured on: `echo(message)`, answered as JSON, at `/modern` and
 * `/legacy`. Prints its port, and ends with its stdin. `GET /count` tells how many messages came since the last time.
 */
let count = 0;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (request.method === "GET" && pathname === "/count") {
      const counted = count;
      count = 0;
      return new Response(String(counted));
    }
    if (request.method !== "POST") return new Response(null, { status: 405 });
    count += 1;
    const { id, method, params } = (await request.json()) as Request_;
    if (id === undefined) return new Response(null, { status: 202 });
    const isModern = pathname === "/modern";
    if (method === "server/discover" && !isModern)
      return Response.json(failure(id, -32601), { status: 404 });
    const headers = method === "initialize" ? { "mcp-session-id": crypto.randomUUID() } : {};
    const result = resultOf(method, params);
    const whole = isModern ? { resultType: "complete", ...result } : result;
    return Response.json({ jsonrpc: "2.0", id, result: whole }, { headers });
  },
});
console.log(server.port);
await Bun.stdin.bytes();
process.exit(0);

// --- internal ---

interface Request_ {
  id?: number;
  method: string;
  params: { protocolVersion?: string; arguments?: { message?: string } };
}

function resultOf(method: string, params: Request_["params"]): object {
  if (method === "server/discover")
    return {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: "private",
    };
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "bench", version: "1.0.0" },
    };
  if (method === "tools/list") {
    const properties = { message: { type: "string" } };
    const inputSchema = { type: "object", properties, required: ["message"] };
    return { tools: [{ name: "echo", inputSchema }], ttlMs: 0, cacheScope: "private" };
  }
  return { content: [{ type: "text", text: params.arguments?.message ?? "" }] };
}

function failure(id: number, code: number): object {
  return { jsonrpc: "2.0", id, error: { code, message: "no such method" } };
}
