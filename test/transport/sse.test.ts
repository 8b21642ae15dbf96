/** HTTP+SSE of 2024-11-05: how it is opened, what is posted, and every way in which either can go wrong. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import type { JsonObject } from "../../lib/base/json.ts";
import type { LogEntry } from "../../lib/base/log.ts";
import { createFetch } from "../../lib/transport/fetch.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import { endpointOf } from "../../lib/transport/sse-endpoint.ts";
import { openSse } from "../../lib/transport/sse.ts";
import type { SseOptions } from "../../lib/transport/sse.ts";
import type { Incoming, Transport } from "../../lib/transport/transport.ts";
import { version } from "../../package.json";
import { serveRemote } from "../fixtures/remote/server.ts";
import { waitFor } from "../processes.ts";

type Posted = { url: string; headers: Headers; body: string };

interface Scripted extends AsyncDisposable {
  url: string;
  posts: Posted[];
  /** Writes on the newest stream, or on the first as soon as there is one. */
  write(text: string | Uint8Array): void;
  end(): void;
  /** How many streams the client let go. */
  cancelled: number;
}

interface Script {
  /** In place of the stream. */
  get?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  /** @default 202 */
  post?: (request: Request) => Response | Promise<Response>;
  /** @default the endpoint event for /messages */
  first?: string;
  contentType?: string;
}

/** A server that says exactly what it is told to. */
function scripted(script: Script = {}): Scripted {
  const { first = "event: endpoint\ndata: /messages?id=1\n\n" } = script;
  const encoder = new TextEncoder();
  type Stream = ReadableStreamDefaultController<Uint8Array>;
  let stream: Stream | undefined;
  const early: ((opened: Stream) => void)[] = [];
  const onStream = (work: (opened: Stream) => void) =>
    stream === undefined ? void early.push(work) : work(stream);
  const posts: Posted[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    if (request.method === "POST") {
      const { url, headers } = request;
      posts.push({ url, headers, body: await request.clone().text() });
      return (await script.post?.(request)) ?? new Response("Accepted", { status: 202 });
    }
    const other = await script.get?.(request);
    if (other !== undefined) return other;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller;
        controller.enqueue(encoder.encode(first === "" ? ":\n\n" : first));
        for (const work of early.splice(0)) work(controller);
      },
      cancel: () => void result.cancelled++,
    });
    const { contentType = "text/event-stream" } = script;
    return new Response(body, { headers: { "content-type": contentType } });
  };
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch });
  const result: Scripted = {
    url: `http://127.0.0.1:${server.port}/sse?key=s3cr3t`,
    posts,
    cancelled: 0,
    write: (text) =>
      onStream((opened) => opened.enqueue(typeof text === "string" ? encoder.encode(text) : text)),
    end: () => onStream((opened) => opened.close()),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return result;
}

interface Opened extends AsyncDisposable {
  transport: Transport;
  logs: LogEntry[];
}

async function open(url: string, more: Partial<SseOptions> = {}): Promise<Opened> {
  const logs: LogEntry[] = [];
  const log = (entry: LogEntry) => void logs.push(entry);
  const fetch = createFetch({ name: "srv", log, headers: { authorization: "Bearer t0ken" } });
  const transport = await openSse({ name: "srv", url, fetch, log, ...more });
  return {
    transport,
    logs,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      fetch[Symbol.dispose]();
    },
  };
}

/** What the opening fails with. */
async function failure(url: string, more: Partial<SseOptions> = {}): Promise<HostError> {
  const error: unknown = await open(url, more).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(HostError);
  const { message, facts, hint } = error as HostError;
  expect(JSON.stringify([message, facts, hint])).not.toMatch(/s3cr3t|t0ken/);
  return error as HostError;
}

const request = (id: number, method = "tools/list") =>
  ({ jsonrpc: "2.0", id, method, params: {} }) as const;
const event = (value: unknown) => `event: message\ndata: ${JSON.stringify(value)}\n\n`;
const result = (id: number, value: unknown = {}) => ({ jsonrpc: "2.0", id, result: value });

async function next(transport: Transport): Promise<Incoming> {
  const { value, done } = await transport.incoming[Symbol.asyncIterator]().next();
  expect(done).not.toBe(true);
  return value;
}

describe("opening", () => {
  test("the address is resolved against the URL; messages go there with the configured headers", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    await link.transport.send(request(1));
    await waitFor(() => server.posts.length === 1, "the post");
    const [post] = server.posts;
    expect(new URL(post!.url).pathname).toBe("/messages");
    expect(post!.body).toBe('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}');
    expect(post!.headers.get("content-type")).toBe("application/json");
    expect(post!.headers.get("authorization")).toBe("Bearer t0ken");
  });

  test("stream and posts say who asks", async () => {
    const agents: (string | null)[] = [];
    const note = ({ headers }: Request) => void agents.push(headers.get("user-agent"));
    await using server = scripted({
      get: (asked) => void note(asked) as undefined,
      post: (asked) => (note(asked), new Response("")),
    });
    await using link = await open(server.url);
    await link.transport.send(request(1));
    await waitFor(() => agents.length === 2, "both");
    expect(agents).toEqual(Array(2).fill(`mcphost/${version}`));
  });

  test("an absolute address of the same origin, behind comments and other events", async () => {
    await using server = scripted({ first: "" });
    const opening = open(server.url);
    const origin = new URL(server.url).origin;
    server.write(": hello\r\n\r\nevent: ping\ndata: {}\n\n");
    server.write(`event: endpoint\r\ndata: ${origin}/other\r\n\r\n`);
    await using link = await opening;
    await link.transport.send(request(1));
    await waitFor(() => server.posts.length === 1, "the post");
    expect(server.posts[0]!.url).toBe(`${origin}/other`);
  });

  test("an address that comes in pieces, and late", async () => {
    await using server = scripted({ first: "" });
    const opening = open(server.url, { startTimeoutMs: 10_000 });
    for (const piece of ["event: end", "point\nda", "ta: /mess", "ages\n", "\n"]) {
      await Bun.sleep(5);
      server.write(piece);
    }
    await using link = await opening;
    await link.transport.send(request(1));
    await waitFor(() => server.posts.length === 1, "the post");
    expect(server.posts[0]!.url).toEndWith("/messages");
  });

  test.each([
    "http://127.0.0.1:1/messages",
    "//example.com/messages",
    "https://127.0.0.1/messages",
  ])("an address of another origin is refused, and gets nothing: %s", async (address) => {
    await using server = scripted({ first: `event: endpoint\ndata: ${address}\n\n` });
    const { code, message, hint } = await failure(server.url);
    expect(code).toBe("server_start");
    expect(message).toContain("of another origin");
    expect(hint).toContain("configured origin");
    await waitFor(() => server.cancelled === 1, "the stream to be let go");
  });

  test.each([
    ["/mcp/sse", "/messages/?id=1", "/mcp/messages/?id=1"],
    ["/a/b/sse/", "/messages", "/a/b/messages"],
    ["/api/v1/sse", "/v1/messages", "/api/v1/messages"],
    ["/mcp/sse", "messages?id=1", "/mcp/messages?id=1"],
    ["/mcp/sse", "?id=1", "/mcp/sse?id=1"],
  ])(
    "behind a proxy with a path of its own, %s and %s: messages go to %s",
    async (path, named, to) => {
      await using server = scripted({
        first: `event: endpoint\ndata: ${named}\n\n`,
        post: (asked) =>
          asked.url.endsWith(to) ? new Response("") : new Response("no", { status: 404 }),
      });
      await using link = await open(new URL(path, server.url).href);
      await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
      const greeted = peer.request("initialize", {}, { timeoutMs: 5000 });
      await waitFor(() => server.posts.some(({ url }) => url.endsWith(to)), "the post");
      server.write(event(result(1)));
      await greeted;
      await peer.notify("notifications/initialized");
      const { body, url } = server.posts.at(-1)!;
      expect([body.includes("initialized"), url.endsWith(to)]).toEqual([true, true]);
    },
  );

  test("where nothing is behind its path either, the address that was named is told", async () => {
    await using server = scripted({ post: () => new Response("no", { status: 404 }) });
    await using link = await open(new URL("/mcp/sse", server.url).href);
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const error: unknown = await peer
      .request("initialize", {}, { timeoutMs: 5000 })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "server_start",
      message: expect.stringContaining("takes no messages at /messages"),
    });
    expect(server.posts).toHaveLength(2);
  });

  test("http: where we are by https, of a server that knows nothing of that, is https:", () => {
    const options = {
      name: "srv",
      url: "https://host/sse",
      fetch: createFetch({ name: "srv", log() {} }),
      log() {},
    };
    expect(endpointOf(options, "http://host/messages?a=1").href).toBe("https://host/messages?a=1");
    for (const other of ["http://host:8080/messages", "http://other/messages"])
      expect(() => endpointOf(options, other)).toThrow("of another origin");
  });

  test("an address in quotes is that address", async () => {
    await using server = scripted({ first: 'event: endpoint\ndata: "/messages?a=1"\n\n' });
    await using link = await open(server.url);
    await link.transport.send(request(1));
    await waitFor(() => server.posts.length === 1, "the post");
    expect(new URL(server.posts[0]!.url).pathname).toBe("/messages");
  });

  test("an address that is none", async () => {
    await using server = scripted({ first: "event: endpoint\ndata: http://[\n\n" });
    expect((await failure(server.url)).message).toContain("what is no URL");
  });

  test("no address within the time", async () => {
    await using server = scripted({ first: "" });
    const { code, message, facts, hint } = await failure(server.url, { startTimeoutMs: 50 });
    expect(code).toBe("server_start");
    expect(message).toBe('server "srv" named no address for messages within 50 ms');
    expect(facts).toMatchObject({ server: "srv", timeoutMs: 50, sent: false });
    expect(hint).toContain("endpoint");
    await waitFor(() => server.cancelled === 1, "the stream to be let go");
  });

  test("no answer at all within the time", async () => {
    const never = Promise.withResolvers<Response>();
    await using server = scripted({ get: () => never.promise });
    expect((await failure(server.url, { startTimeoutMs: 50 })).code).toBe("server_start");
    never.resolve(new Response());
  });

  test("given up", async () => {
    await using server = scripted({ first: "" });
    const abort = new AbortController();
    const opening = failure(server.url, { signal: abort.signal });
    abort.abort(new Error("enough"));
    expect((await opening).code).toBe("cancelled");
    expect((await failure(server.url, { signal: abort.signal })).code).toBe("cancelled");
  });

  test("the stream ends before the address", async () => {
    await using server = scripted({ first: "" });
    const opening = failure(server.url);
    server.end();
    const { code, message } = await opening;
    expect(code).toBe("server_start");
    expect(message).toContain("before it named an address");
  });

  test("B028: a page where a stream was expected; told with its beginning, asked for once", async () => {
    let gets = 0;
    await using server = scripted({
      get: () => {
        gets++;
        return new Response("<html>Sign   in</html>", { headers: { "content-type": "text/html" } });
      },
    });
    const { code, message, facts } = await failure(server.url);
    expect(code).toBe("server_start");
    expect(message).toContain("answered with text/html where an event stream was expected");
    expect(message).toContain("Sign in");
    expect(facts.httpStatus).toBe(200);
    expect(gets).toBe(1);
  });

  test.each([400, 404, 405, 406, 500])("B019: refused with %d", async (status) => {
    await using server = scripted({ get: () => new Response("not here", { status }) });
    const { code, message, facts, hint } = await failure(server.url);
    expect(code).toBe("server_start");
    expect(message).toContain(`answered HTTP ${status}`);
    expect(message).toContain("not here");
    expect(facts).toMatchObject({ httpStatus: status, sent: false });
    expect(hint).toContain("HTTP+SSE");
  });

  test.each([401, 403])("refused with %d: a sign-in is needed", async (status) => {
    await using server = scripted({ get: () => new Response("who?", { status }) });
    const { code, hint } = await failure(server.url);
    expect(code).toBe("auth_required");
    expect(hint).toContain("Authorization: Bearer …");
  });

  test("a content type with a charset, in any case", async () => {
    await using server = scripted({ contentType: "Text/Event-Stream; charset=utf-8" });
    await using link = await open(server.url);
    expect(link.transport).toBeDefined();
  });

  test("B019: nothing listens there", async () => {
    const server = scripted();
    await server[Symbol.asyncDispose]();
    const { code, facts } = await failure(server.url);
    expect(code).toBe("server_exit");
    expect(facts).toMatchObject({ sent: false, errno: "ECONNREFUSED" });
  });
});

describe("messages", () => {
  test("come with their exact text; B046: comments, pings and heartbeats are no messages", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    server.write(": ping\n\ndata:\n\nevent: ping\ndata: {}\n\nretry: x\nid: a\0b\n\n");
    server.write('data: {"type":"heartbeat"}\n\nunknown: field\n\n');
    server.write('data: {"jsonrpc":"2.0","id":1,"result":{"n":1.0}}\n\n');
    expect(await next(link.transport)).toEqual({
      message: { jsonrpc: "2.0", id: 1, result: { n: 1 } },
      text: '{"jsonrpc":"2.0","id":1,"result":{"n":1.0}}',
    });
    expect(link.logs.filter(({ level }) => level === "warn")).toEqual([]);
  });

  test("B044: one message over several data lines", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    server.write('data: {"jsonrpc":"2.0",\ndata:   "id":1,\ndata:   "result":{}}\n\n');
    expect(await next(link.transport)).toEqual({
      message: { jsonrpc: "2.0", id: 1, result: {} },
      text: '{"jsonrpc":"2.0","id":1,"result":{}}',
    });
  });

  test("characters cut anywhere, CR and CRLF as line ends", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    const bytes = new TextEncoder().encode(
      `data: ${JSON.stringify(result(1, "é€😀"))}\r\rdata: {"jsonrpc":"2.0",\r\ndata: "id":2,"result":1}\r\n\r\n`,
    );
    for (const byte of bytes) server.write(new Uint8Array([byte]));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: result(1, "é€😀") });
    expect((await next(link.transport)) as unknown).toMatchObject({ message: result(2, 1) });
  });

  test("batches are taken apart", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    server.write(event([result(1), { jsonrpc: "2.0", method: "notifications/x" }]));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 1 } });
    expect((await next(link.transport)) as unknown).toMatchObject({
      message: { method: "notifications/x" },
    });
  });

  test("what is no JSON is warned of, three times at most; a broken answer fails its request", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    for (let count = 0; count < 5; count++) server.write("data: hello there\n\n");
    server.write('data: {"jsonrpc":"2.0","id":7,"result":{"cut\n\n');
    expect((await next(link.transport)) as unknown).toMatchObject({
      oversize: { id: 7, reason: expect.stringContaining("is not valid JSON") },
    });
    expect(link.logs.filter(({ level }) => level === "warn")).toHaveLength(3);
  });

  test("a message beyond the bound fails its request, and the next comes", async () => {
    await using server = scripted();
    await using link = await open(server.url, { responseBytesMax: 1000 });
    server.write(event(result(1, "x".repeat(5000))));
    server.write(event(result(2)));
    expect((await next(link.transport)) as unknown).toMatchObject({
      oversize: { id: 1, bytesMax: 1000 },
    });
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 2 } });
  });

  test("events of other names are none of ours, whatever is in them", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    server.write(`event: other\ndata: ${JSON.stringify(result(1))}\n\n`);
    server.write(event(result(2)));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 2 } });
  });

  test("a second address is ignored", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    server.write("event: endpoint\ndata: /elsewhere\n\n");
    server.write(event(result(1)));
    await next(link.transport);
    await link.transport.send(request(2));
    await waitFor(() => server.posts.length === 1, "the post");
    expect(new URL(server.posts[0]!.url).pathname).toBe("/messages");
  });
});

const refusing = (status: number, body: string, type = "text/plain"): Script => ({
  post: () => new Response(body, { status, headers: { "content-type": type } }),
});

test("an answer in the POST is one, too, and is taken once", async () => {
  const large = { text: "x".repeat(100_000) };
  await using server = scripted({
    post: async (asked) =>
      Response.json(result(((await asked.json()) as { id: number }).id, large)),
  });
  await using link = await open(server.url);
  await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
  for (const id of [1, 2]) {
    const { response } = await peer.request("tools/list", {}, { timeoutMs: 5000 });
    expect(response).toMatchObject({ id, result: large });
    server.write(event(result(id, { late: true })));
  }
});

describe("posts that are refused", () => {
  test("the first, by nobody: the address was wrong", async () => {
    await using server = scripted({ post: () => new Response("no", { status: 404 }) });
    await using link = await open(server.url);
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const error = await peer
      .request("initialize", {}, { timeoutMs: 5000 })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: "server_start",
      message:
        'server "srv" takes no messages at /messages, which it named for them (HTTP 404): no',
      hint: expect.stringContaining("here /sse"),
    });
  });

  test.each([400, 403, 405, 406, 409, 500, 502])(
    "B049: %d fails its request with the status and the beginning of the body",
    async (status) => {
      await using server = scripted(refusing(status, "<h1>no\nway</h1>"));
      await using link = await open(server.url);
      await link.transport.send(request(3));
      const item = await next(link.transport);
      if (!("failed" in item)) throw new Error("it did not fail");
      const { id, error } = item.failed;
      expect(id).toBe(3);
      expect(error.code).toBe(status === 403 ? "auth_required" : "rpc_error");
      expect(error.message).toBe(
        `server "srv" answered tools/list with HTTP ${status}: <h1>no way</h1>`,
      );
      expect(error.facts).toMatchObject({ httpStatus: status, sent: true, method: "tools/list" });
    },
  );

  test("the JSON-RPC error of a body is the answer, under whatever id", async () => {
    const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"busy"}}';
    await using server = scripted(refusing(400, body, "application/json"));
    await using link = await open(server.url);
    await link.transport.send(request(3));
    expect((await next(link.transport)) as unknown).toMatchObject({
      message: { id: 3, error: { code: -32000, message: "busy" } },
    });
  });

  test("others go on, and so does the link", async () => {
    await using server = scripted({
      post: async (asked) =>
        new Response("", { status: (await asked.text()).includes('"id":1') ? 503 : 202 }),
    });
    await using link = await open(server.url);
    await Promise.all([link.transport.send(request(1)), link.transport.send(request(2))]);
    expect((await next(link.transport)) as unknown).toMatchObject({ failed: { id: 1 } });
    server.write(event(result(2)));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 2 } });
  });

  test("a notification that is refused is thrown to its sender", async () => {
    await using server = scripted(refusing(500, ""));
    await using link = await open(server.url);
    const sending = link.transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(((await sending!.catch((error: unknown) => error)) as HostError).code).toBe("rpc_error");
  });

  test.each([404, 410])("%d: the server no longer knows us; the link is lost", async (status) => {
    await using server = scripted(refusing(status, "no such session"));
    await using link = await open(server.url);
    await link.transport.send(request(3));
    const item = await next(link.transport);
    if (!("failed" in item)) throw new Error("it did not fail");
    expect(item.failed.error.code).toBe("server_exit");
    expect(item.failed.error.facts).toMatchObject({ sent: false, sessionLost: true });
    expect(await link.transport.closed).toMatchObject({ kind: "error", httpStatus: status });
  });

  test.each([404, 410])("%d with an error under the own id is the answer", async (status) => {
    const body = '{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no such file"}}';
    await using server = scripted(refusing(status, body, "application/json"));
    await using link = await open(server.url);
    await link.transport.send(request(3));
    expect((await next(link.transport)) as unknown).toMatchObject({
      message: { id: 3, error: { code: -32602, message: "no such file" } },
    });
    await link.transport.send(request(3));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 3 } });
  });

  test("nobody listens any more: its request fails, unsent", async () => {
    const gone = scripted();
    await gone[Symbol.asyncDispose]();
    const gonePort = new URL(gone.url).port;
    await using server = scripted();
    const plain = createFetch({ name: "srv", log: () => {} });
    const fetch: SseOptions["fetch"] = (url, init) =>
      plain(init?.method === "POST" ? url.replace(new URL(url).port, gonePort) : url, init);
    await using link = await open(server.url, { fetch });
    await link.transport.send(request(3));
    expect((await next(link.transport)) as unknown).toMatchObject({
      failed: { id: 3, error: { code: "server_exit", facts: { sent: false } } },
    });
  });
});

describe("the end", () => {
  test("the stream ends: what waits is lost, and said so", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const asked = peer.request("tools/call", {}, { timeoutMs: 10_000 });
    await waitFor(() => server.posts.length === 1);
    server.end();
    const error = (await asked.catch((caught: unknown) => caught)) as HostError;
    expect(error.code).toBe("server_exit");
    expect(error.message).toBe(
      'server "srv" ended its event stream while it was answering tools/call',
    );
    expect(error.facts.sent).toBe(true);
    expect(await link.transport.closed).toMatchObject({ kind: "eof" });
    const later = (await peer
      .request("ping", {}, { timeoutMs: 100 })
      .catch((e: unknown) => e)) as HostError;
    expect(later.facts.sent).toBe(false);
  });

  test("the stream ends while a post finds nobody: that one was not sent", async () => {
    const gone = scripted();
    await gone[Symbol.asyncDispose]();
    const gonePort = new URL(gone.url).port;
    await using server = scripted();
    const plain = createFetch({ name: "srv", log: () => {} });
    const fetch: SseOptions["fetch"] = async (url, init) => {
      if (init?.method !== "POST") return await plain(url, init);
      server.end();
      await Bun.sleep(20);
      return await plain(url.replace(new URL(url).port, gonePort), init);
    };
    await using link = await open(server.url, { fetch });
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const asking = peer.request("tools/call", {}, { timeoutMs: 10_000 });
    const error = (await asking.catch((caught: unknown) => caught)) as HostError;
    expect(error.facts).toMatchObject({ sent: false, errno: "ECONNREFUSED" });
    expect(await link.transport.closed).toMatchObject({ kind: "eof" });
  });

  test("the stream is cut in the middle of a chunk", async () => {
    await using raw = rawServer((socket) => {
      socket.write(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
      );
      const first = "event: endpoint\ndata: /m\n\n";
      socket.write(`${first.length.toString(16)}\r\n${first}\r\n40\r\ndata: {"jsonrpc":`);
      setTimeout(() => socket.terminate(), 20);
    });
    await using link = await open(raw.url);
    expect(await link.transport.closed).toMatchObject({
      kind: "error",
      how: "lost its event stream",
    });
    expect(await Array.fromAsync(link.transport.incoming)).toEqual([]);
  });

  test("we close: the stream is let go, and nothing can be sent", async () => {
    await using server = scripted();
    const link = await open(server.url);
    await link[Symbol.asyncDispose]();
    expect(await link.transport.closed).toEqual({ kind: "local" });
    await waitFor(() => server.cancelled === 1, "the stream to be let go");
    const sending = link.transport.send(request(1));
    expect(((await sending!.catch((error: unknown) => error)) as HostError).facts.sent).toBe(false);
  });

  test("we close: what has no answer is let out first", async () => {
    await using server = scripted();
    const plain = createFetch({ name: "srv", log: () => {} });
    const fetch: SseOptions["fetch"] = async (url, init) => {
      if (init?.method === "POST") await Bun.sleep(30);
      init?.signal?.throwIfAborted();
      return await plain(url, init);
    };
    const link = await open(server.url, { fetch });
    const telling = link.transport.send({ jsonrpc: "2.0", method: "notifications/cancelled" });
    await link[Symbol.asyncDispose]();
    await telling;
    expect(server.posts).toHaveLength(1);
  });

  test("we close while a post hangs, and while nobody reads what came", async () => {
    const never = Promise.withResolvers<Response>();
    await using server = scripted({ post: () => never.promise });
    const link = await open(server.url);
    const sending = link.transport.send(request(1));
    for (let id = 0; id < 1000; id++) server.write(event(result(id)));
    await waitFor(() => server.posts.length === 1);
    await link[Symbol.asyncDispose]();
    await sending;
    never.resolve(new Response());
  });
});

const noRoots = async () => ({ roots: [] });

test("a whole server: calls beside each other, requests of its own, a cut between", async () => {
  await using server = await serveRemote({ transport: "sse" });
  await using link = await open(server.url);
  await using peer = createPeer(link.transport, { name: "srv", log: () => {}, onRequest: noRoots });
  const ask = async (method: string, params: JsonObject) =>
    (await peer.request(method, params, { timeoutMs: 10_000 })).response.result as unknown;
  const capabilities = { roots: {} };
  await ask("initialize", { protocolVersion: "2024-11-05", capabilities });
  await peer.notify("notifications/initialized");
  const sums = Array.from({ length: 100 }, (_, a) =>
    ask("tools/call", { name: "add", arguments: { a, b: 1 } }),
  );
  const texts = (await Promise.all(sums)).map(
    (sum) => (sum as { content: { text: string }[] }).content[0]!.text,
  );
  expect(texts).toEqual(Array.from({ length: 100 }, (_, a) => String(a + 1)));
  const roots = await ask("tools/call", { name: "roots", arguments: {} });
  expect(roots as unknown).toMatchObject({ content: [{ text: '{"roots":[]}' }] });
  server.cutStreams();
  expect(await link.transport.closed).toMatchObject({ kind: "eof" });
});

function rawServer(answer: (socket: Bun.Socket) => void): AsyncDisposable & { url: string } {
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => answer(socket) },
  });
  return {
    url: `http://127.0.0.1:${listener.port}/sse`,
    [Symbol.asyncDispose]: async () => listener.stop(true),
  };
}
