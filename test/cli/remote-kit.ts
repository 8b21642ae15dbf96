/** A small server that is reached by a URL. */
import { gzipSync } from "node:zlib";

interface Asked {
  id?: number;
  method: string;
  params?: { protocolVersion?: string; arguments?: { text?: string } };
}

const inputSchema = { type: "object", properties: { text: { type: "string" } } };

const tools = ["echo", "header", "bomb"].map((name) => ({ name, inputSchema }));

/** A small MCP server of the legacy era: `echo` its text, `header` the X-Key it got, `bomb` a large answer, packed. */
export async function answer(request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const { id, method, params } = (await request.json()) as Asked;
  if (id === undefined) return new Response(null, { status: 202 });
  const reply = (result: unknown) => Response.json({ jsonrpc: "2.0", id, result });
  if (method === "initialize")
    return reply({
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "small", version: "1" },
    });
  if (method === "tools/list") return reply({ tools });
  const tool = (params as { name?: string } | undefined)?.name;
  const texts = { echo: params?.arguments?.text, header: request.headers.get("x-key") };
  if (method === "tools/call" && tool === "bomb")
    return new Response(
      gzipSync(JSON.stringify({ jsonrpc: "2.0", id, result: { x: " ".repeat(5_000_000) } })),
      { headers: { "content-encoding": "gzip", "content-type": "application/json" } },
    );
  if (method === "tools/call")
    return reply({ content: [{ type: "text", text: texts[tool as "echo"] ?? "none" }] });
  return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } });
}

/** The words of a config of these servers, and of more. */
export const json = (mcpServers: object, more: object = {}) => [
  "--config-json",
  JSON.stringify({ mcpServers, ...more }),
];
