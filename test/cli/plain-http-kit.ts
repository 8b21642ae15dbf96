/** A server by a URL that writes down what it is asked, and answers the first requests of a step oddly. */
import { mcphost, type TempDir } from "../harness.ts";

type Era = "legacy" | "modern";

/** One request as it came, without what the platform puts in. */
interface Got {
  http: string;
  method: string;
  body: string;
  headers: Record<string, string>;
}

interface Recorder extends Disposable {
  url: string;
  got: Got[];
  /** As if nothing had come yet. */
  begin(): void;
}

/** A server of one era that answers the first `stage` in its own way, and all else as plainly as can be. */
export function recorder(era: Era, stage: string, what: string): Recorder {
  const got: Got[] = [];
  let isDone = false;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const { id, method = "", params } = body === "" ? {} : JSON.parse(body);
      got.push({ http: request.method, method, body, headers: ownHeaders(request.headers) });
      if (request.method !== "POST")
        return new Response(null, { status: request.method === "GET" ? 405 : 200 });
      if (method === stage && !isDone) {
        isDone = true;
        const odd = await { ...odds, ...refusals }[what]?.(
          id,
          resultOf(era, method, params),
          request,
        );
        if (odd !== undefined) return odd;
      }
      if (id === undefined) return new Response(null, { status: 202 });
      const result = resultOf(era, method, params);
      const session = method === "initialize" ? { "Mcp-Session-Id": "s-1" } : {};
      if (result !== undefined)
        return Response.json({ jsonrpc: "2.0", id, result }, { headers: session });
      const error = { code: -32601, message: "no such method" };
      return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    got,
    begin() {
      got.length = 0;
      isDone = false;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

type Odds = Record<
  string,
  (id: unknown, result: unknown, request: Request) => Promise<Response | undefined>
>;

/** What is answered instead, by name. */
export const odds: Odds = {
  stream: async (id, result) =>
    new Response(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`, {
      headers: { "Content-Type": "text/event-stream" },
    }),
  "no length": async (id, result) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id, result });
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(text.slice(0, 20)));
        await Bun.sleep(10);
        controller.enqueue(new TextEncoder().encode(text.slice(20)));
        controller.close();
      },
    });
    return new Response(stream, { headers: { "Content-Type": "application/json" } });
  },
  slow: async () => {
    await Bun.sleep(120);
    return undefined;
  },
  "a redirect": async (_id, _result, request) =>
    new Response(null, { status: 307, headers: { Location: request.url } }),
  "not now": async () => new Response(null, { status: 503, headers: { "Retry-After": "0" } }),
  "another session id": async (id, result) =>
    Response.json({ jsonrpc: "2.0", id, result }, { headers: { "Mcp-Session-Id": "s-2" } }),
  "a string for an id": async (id, result) =>
    Response.json({ jsonrpc: "2.0", id: String(id), result }),
};

/** By which a call may have been done. */
export const refusals: Odds = {
  "taken elsewhere": async (_id, _result, request) =>
    new Response(null, { status: 303, headers: { Location: request.url } }),
  "never now": async () => new Response(null, { status: 503 }),
  "not now, with an answer": async (id, result) =>
    Response.json({ jsonrpc: "2.0", id, result }, { status: 503, headers: { "Retry-After": "0" } }),
};

/** What a server of an era answers to a method. */
export function resultOf(era: Era, method: string, params: { arguments?: { message?: string } }) {
  const serverInfo = { name: "recorder", version: "1.0.0" };
  const capabilities = { tools: {} };
  const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  if (method === "initialize" && era === "legacy")
    return { protocolVersion: "2025-11-25", capabilities, serverInfo };
  if (method === "server/discover" && era === "modern")
    return { ...complete, supportedVersions: ["2026-07-28"], capabilities, serverInfo };
  if (method === "tools/list") {
    const properties = { message: { type: "string" } };
    return { ...complete, tools: [{ name: "echo", inputSchema: { type: "object", properties } }] };
  }
  if (method !== "tools/call") return undefined;
  return { ...complete, content: [{ type: "text", text: params.arguments?.message }] };
}

/** A call of `echo` at that URL. */
export function call({ path }: TempDir, url: string, ...flags: string[]) {
  return mcphost("call", "echo", "message=hi", "-s", `it=${url}`, ...flags).home(path);
}

/** The calls of tools among requests. */
export const callsIn = (got: Got[]) => got.filter(({ method }) => method === "tools/call");

// --- internal ---

/** What says how long a body is, and who is asked, is the platform's. */
function ownHeaders(headers: Headers): Record<string, string> {
  const own = headers.toJSON() as Record<string, string>;
  for (const name of ["host", "content-length", "connection"]) delete own[name];
  return own;
}
