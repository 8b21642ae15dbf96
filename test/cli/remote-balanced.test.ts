/** Servers behind a balancer, of which one alone knows a session: it tells by a cookie which one that is. */
import { expect, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { resultOf } from "./plain-http-kit.ts";

test.each([
  ["a plain call", "/mcp", []],
  ["a call of the host", "/mcp", ["--no-user-config"]],
  ["a call over HTTP+SSE", "/sse", []],
])("%s stays with the one that has its session", async (_what, path, flags) => {
  await using home = await tempDir();
  using balancer = balanced();
  const url = `${balancer.origin}${path}`;
  const run = mcphost("call", "echo", "message=hi", "-s", `it=${url}`, ...flags).home(home.path);
  expectRun(await run.run(), { code: 0, stdout: "hi\n" });
  expect(balancer.refused()).toBe(0);
});

// --- internal ---

interface Asked {
  id?: number;
  method: string;
  params: { arguments?: { message?: string } };
}

/** Two servers; who has no cookie of it is sent to either in turn. */
function balanced() {
  const instances = [instance(), instance()];
  let turn = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const [, named] = /(?:^|; )LB=(\d)/.exec(request.headers.get("cookie") ?? "") ?? [];
      const at = named === undefined ? turn++ % instances.length : Number(named);
      const response = await instances[at]!.answer(request);
      response.headers.append("set-cookie", `LB=${at}; Path=/; HttpOnly`);
      return response;
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    /** Requests that named a session which their server does not know. */
    refused: () => instances.reduce((sum, { refused }) => sum + refused(), 0),
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** A server of 2025-11-25 over Streamable HTTP (`/mcp`) and of 2024-11-05 over HTTP+SSE (`/sse`), with sessions of its own. */
function instance() {
  const sessions = new Set<string>();
  const streams = new Map<string, ReadableStreamDefaultController<string>>();
  let refused = 0;
  const refuse = () => {
    refused += 1;
    return new Response("no such session", { status: 404 });
  };
  const stream = () => {
    const id = crypto.randomUUID();
    const body = new ReadableStream<string>({
      start(controller) {
        streams.set(id, controller);
        controller.enqueue(`event: endpoint\ndata: /messages?session=${id}\n\n`);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "GET")
      return pathname === "/sse" ? stream() : new Response(null, { status: 405 });
    if (request.method !== "POST") return new Response(null, { status: 200 });
    if (pathname === "/sse") return new Response(null, { status: 405 });
    const { id, method, params } = (await request.json()) as Asked;
    const own = streams.get(searchParams.get("session") ?? "");
    const session = request.headers.get("mcp-session-id") ?? "";
    const isKnown = pathname === "/mcp" ? sessions.has(session) : own !== undefined;
    const begins = pathname === "/mcp" && method === "initialize";
    if (!isKnown && !begins && method !== "server/discover") return refuse();
    if (id === undefined) return new Response(null, { status: 202 });
    const result = resultOf("legacy", method, params);
    const error = { code: -32601, message: "no such method" };
    const message = { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
    if (own !== undefined) {
      own.enqueue(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      return new Response(null, { status: 202 });
    }
    if (!begins) return Response.json(message);
    const begun = crypto.randomUUID();
    sessions.add(begun);
    return Response.json(message, { headers: { "mcp-session-id": begun } });
  };
  return { answer, refused: () => refused };
}
