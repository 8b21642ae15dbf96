/** Hosts over servers that are reached by a URL: every transport and era, sessions that are lost, headers, goodbyes. */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { silent } from "../../lib/base/log.ts";
import type { Verdict } from "../../lib/client/connect-types.ts";
import { verdictKey } from "../../lib/client/eras.ts";
import type { HttpServer } from "../../lib/config/types.ts";
import { createHost } from "../../lib/host/create.ts";
import { openHost } from "../../lib/host/host.ts";
import type { OpenedHost } from "../../lib/host/opened-types.ts";
import type { OpenHostOptions } from "../../lib/host/option-types.ts";
import type { Host } from "../../lib/host/types.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import type { RemoteServer, RemoteServerOptions } from "../fixtures/remote/server.ts";
import type { FixtureTool } from "../fixtures/remote/tool-types.ts";
import { textOf } from "./kit.ts";

type Link = Pick<HttpServer, "transport">["transport"];

async function hostOf({ url }: RemoteServer, transport: Link = "auto"): Promise<Host> {
  return await createHost({ servers: { far: { url, transport } }, log: silent });
}

async function echo(host: Pick<Host, "call">, text: string): Promise<string> {
  return textOf(await host.call({ tool: "echo", arguments: { text } }));
}

/** A link that holds a connection is told of its end: until then a call would be lost on it. */
async function restart(server: RemoteServer, host: Host): Promise<void> {
  await server.restart();
  if (server.url.endsWith("/sse") || server.url.startsWith("ws"))
    while (host.servers()[0]?.state === "ready") await Bun.sleep(2);
}

const kinds: [string, RemoteServerOptions][] = [
  ["http, legacy", { transport: "http", era: "legacy" }],
  ["http, legacy without sessions", { transport: "http", era: "legacy", sessions: false }],
  ["http, modern", { transport: "http", era: "modern" }],
  ["http, both eras", { transport: "http", era: "both" }],
  ["sse", { transport: "sse" }],
  ["ws, legacy", { transport: "ws", era: "legacy" }],
  ["ws, modern", { transport: "ws", era: "modern" }],
];

/** One without sessions knows after a restart that it was not greeted, and has no way to say so. */
const restartable = kinds.filter(([, { sessions }]) => sessions !== false);

describe.each(kinds)("%s", (_, options) => {
  test("is found from a URL, and used", async () => {
    await using server = await serveRemote(options);
    await using host = await hostOf(server);
    expect((await host.tools()).tools.map(({ tool }) => tool)).toContain("echo");
    expect(await echo(host, "hi")).toBe("hi");
    const era = options.era === "legacy" || options.transport === "sse" ? "legacy" : "modern";
    expect(host.servers()).toMatchObject([{ state: "ready", era }]);
  });
});

describe.each(restartable)("%s", (_, options) => {
  test("is restarted between calls, and nobody notices", async () => {
    await using server = await serveRemote(options);
    await using host = await hostOf(server);
    expect(await echo(host, "before")).toBe("before");
    await restart(server, host);
    expect(await echo(host, "after")).toBe("after");
    await restart(server, host);
    expect((await host.tools()).failed).toEqual([]);
  });

  test("is connected anew once for many calls that find it restarted", async () => {
    await using server = await serveRemote(options);
    await using host = await hostOf(server, options.transport);
    await host.tools();
    await restart(server, host);
    const before = server.methods().filter((method) => method === "initialize").length;
    const calls = Array.from({ length: 20 }, (__, i) => echo(host, `${i}`));
    expect(await Promise.all(calls)).toEqual(calls.map((__, i) => `${i}`));
    const greetings = server.methods().filter((method) => method === "initialize").length - before;
    expect(greetings).toBe(host.servers()[0]?.era === "legacy" ? 1 : 0);
  });
});

describe("which transport a URL speaks", () => {
  test("HTTP+SSE is tried only where initialize was refused by 400, 404 or 405 without a message", async () => {
    for (const status of [400, 404, 405]) {
      await using server = await serveRemote({
        transport: "sse",
        intercept: ({ method, path }) =>
          method === "POST" && path === "/sse" ? new Response("no", { status }) : undefined,
      });
      await using host = await hostOf(server);
      expect(await echo(host, "hi")).toBe("hi");
    }
  });

  // B034
  test.each([
    [
      "500",
      () => new Response("broken", { status: 500 }),
      { code: "server_start", facts: { httpStatus: 500 } },
    ],
    [
      "503",
      () => new Response("soon", { status: 503 }),
      { code: "server_start", facts: { httpStatus: 503 } },
    ],
    ["401", () => new Response("who?", { status: 401 }), { code: "auth_required" }],
    [
      "404 with a message",
      () =>
        Response.json(
          { jsonrpc: "2.0", id: null, error: { code: -32000, message: "gone" } },
          { status: 404 },
        ),
      { code: "server_start" },
    ],
    [
      "a web page",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      { code: "server_start" },
    ],
  ])("%s is told as it is, and nothing else is tried", async (_, answer, expected) => {
    const methods: string[] = [];
    await using server = await serveRemote({
      transport: "http",
      intercept: ({ method }) => {
        methods.push(method);
        return method === "POST" ? answer() : new Response("not here", { status: 405 });
      },
    });
    await using host = await hostOf(server);
    const { failed } = await host.tools();
    expect(failed[0]?.error).toMatchObject(expected);
    expect(methods).not.toContain("GET");
  });

  test.each<[string, () => Response, object]>([
    [
      "an address for messages elsewhere",
      () =>
        new Response("event: endpoint\ndata: http://inside:8080/messages\n\n", {
          headers: { "content-type": "text/event-stream" },
        }),
      { code: "server_start", message: expect.stringContaining("http://inside:8080") },
    ],
    [
      "a stream that ends",
      () => new Response("", { headers: { "content-type": "text/event-stream" } }),
      { code: "server_start", message: expect.stringContaining("ended its event stream") },
    ],
    [
      "a sign-in",
      () => new Response("who?", { status: 401 }),
      { code: "auth_required", facts: { httpStatus: 401 } },
    ],
  ])("where HTTP+SSE is there, its own error counts: %s", async (_, get, expected) => {
    await using server = await serveRemote({
      transport: "http",
      intercept: ({ method }) =>
        method === "GET" ? get() : new Response("no such thing", { status: 404 }),
    });
    await using host = await hostOf(server);
    const { failed } = await host.tools();
    expect(failed[0]?.error).toMatchObject(expected);
  });

  test("the first error counts where HTTP+SSE is not there either", async () => {
    await using server = await serveRemote({
      transport: "http",
      intercept: () => new Response("nothing here", { status: 404 }),
    });
    await using host = await hostOf(server);
    const { failed } = await host.tools();
    expect(failed[0]?.error).toMatchObject({
      code: "server_start",
      facts: { httpStatus: 404, method: "initialize" },
    });
  });
});

// --- remembered eras ---

/** A command that uses a server, and leaves. */
async function command<T>(
  { url }: RemoteServer,
  verdicts: OpenHostOptions["verdicts"],
  use: (host: OpenedHost) => Promise<T>,
): Promise<T> {
  const host = opened({ url }, verdicts && { verdicts });
  try {
    return await use(host);
  } finally {
    await host.leave();
  }
}

function opened(server: Partial<HttpServer>, more: Partial<OpenHostOptions> = {}): OpenedHost {
  const far: HttpServer = {
    name: "far",
    kind: "http",
    url: "",
    transport: "auto",
    headers: {},
    protocol: "auto",
    lifecycle: "lazy",
    origin: { label: "test", kind: "named" },
    written: undefined,
    ...server,
  };
  return openHost({
    servers: [far],
    prepare: async (entry) => entry,
    policy: [],
    env: {},
    signal: new AbortController().signal,
    log: silent,
    ...more,
  });
}

function memory(): NonNullable<OpenHostOptions["verdicts"]> & { kept: Map<string, Verdict> } {
  const kept = new Map<string, Verdict>();
  return {
    kept,
    read: async (key) => kept.get(key),
    write: async (key, verdict) => void (verdict.stale ? kept.delete(key) : kept.set(key, verdict)),
  };
}

test("a modern server that is known costs a list and a call, and the call alone without validation", async () => {
  await using server = await serveRemote({ transport: "http", era: "modern" });
  const verdicts = memory();
  const call = { tool: "echo", arguments: { text: "hi" } };
  await command(server, verdicts, (host) => host.call(call));
  expect(server.methods()).toEqual(["server/discover", "tools/list", "tools/call"]);
  server.requests.length = 0;
  expect(textOf(await command(server, verdicts, (host) => host.call(call)))).toBe("hi");
  expect(server.methods()).toEqual(["tools/list", "tools/call"]);
  server.requests.length = 0;
  const unchecked = { ...call, validate: false };
  expect(textOf(await command(server, verdicts, (host) => host.call(unchecked)))).toBe("hi");
  expect(server.methods()).toEqual(["tools/call"]);
});

test("a modern server that is known and not there has failed, until it answers again", async () => {
  await using server = await serveRemote({ transport: "http", era: "modern" });
  const verdicts = memory();
  await command(server, verdicts, (host) => echo(host, "hi"));
  await server.stop();
  await using host = opened({ url: server.url }, { verdicts });
  const told: string[] = [];
  using _told = host.onEvent((event) => {
    if (event.type === "server_state") told.push(event.state);
  });
  const call = { tool: "far.echo", arguments: { text: "hi" }, validate: false };
  const gone = { state: "failed", error: { facts: { errno: "ECONNREFUSED" } } };
  expect((await host.tools()).failed).toHaveLength(1);
  expect(host.servers()).toMatchObject([gone]);
  expect(await host.call(call)).toMatchObject({ status: "failed" });
  expect(told).toEqual(["starting", "failed"]);
  server.start();
  expect((await host.tools()).failed).toEqual([]);
  expect(host.servers()).toMatchObject([{ state: "ready" }]);
  await server.stop();
  expect(await host.call(call)).toMatchObject({ status: "failed" });
  expect(host.servers()).toMatchObject([gone]);
  server.start();
  expect(textOf(await host.call(call))).toBe("hi");
  expect(told).toEqual(["starting", "failed", "ready", "failed", "ready"]);
});

test.each(["legacy", "modern"] as const)(
  "a server (%s) that is gone by now has failed, until it answers again",
  async (era) => {
    await using server = await serveRemote({ transport: "http", era });
    await using host = opened({ url: server.url });
    expect((await host.tools()).failed).toEqual([]);
    await server.stop();
    const call = { tool: "far.echo", arguments: { text: "hi" } };
    expect(await host.call(call)).toMatchObject({ status: "failed" });
    expect(host.servers()).toMatchObject([{ state: "failed" }]);
    server.start();
    expect(textOf(await host.call(call))).toBe("hi");
    expect(host.servers()).toMatchObject([{ state: "ready" }]);
  },
);

test("a wrong memory is found out by a link of one call, too", async () => {
  await using server = await serveRemote({ transport: "http", era: "legacy" });
  const verdicts = memory();
  const key = verdictKey({ url: server.url, transport: "auto" });
  await verdicts.write(key, { era: "modern", revision: "2026-07-28" });
  await using host = opened({ url: server.url, lifecycle: "per-call" }, { verdicts });
  const call = { tool: "echo", arguments: { text: "hi" }, validate: false };
  expect(textOf(await host.call(call))).toBe("hi");
  expect(verdicts.kept.get(key)).toMatchObject({ era: "legacy" });
  expect(server.methods().filter((method) => method === "initialize")).toHaveLength(1);
});

test.each(["legacy", "modern"] as const)(
  "a server that became %s is found out, and remembered",
  async (era) => {
    const verdicts = memory();
    let port: number;
    {
      await using server = await serveRemote({
        transport: "http",
        era: era === "legacy" ? "modern" : "legacy",
      });
      port = Number(new URL(server.url).port);
      expect(await command(server, verdicts, (host) => echo(host, "one"))).toBe("one");
    }
    await using server = await serveRemote({ transport: "http", era, port });
    expect(await command(server, verdicts, (host) => echo(host, "two"))).toBe("two");
    expect([...verdicts.kept.values()]).toMatchObject([{ era }]);
    server.requests.length = 0;
    expect(await command(server, verdicts, (host) => echo(host, "three"))).toBe("three");
    expect(server.methods()).not.toContain(era === "modern" ? "initialize" : "server/discover");
  },
);

test("HTTP+SSE is remembered, and forgotten when the server has learned another transport", async () => {
  const verdicts = memory();
  let hasLearned = false;
  await using modern = await serveRemote({ transport: "http", era: "modern" });
  await using server = await serveRemote({
    transport: "sse",
    intercept: async ({ method, headers, body }) => {
      if (!hasLearned) return undefined;
      if (method !== "POST") return new Response(null, { status: 405 });
      return await fetch(modern.url, { method, headers, body });
    },
  });
  await command(server, verdicts, (host) => echo(host, "one"));
  expect([...verdicts.kept.values()]).toMatchObject([{ era: "legacy", transport: "sse" }]);
  server.requests.length = 0;
  expect(await command(server, verdicts, (host) => echo(host, "two"))).toBe("two");
  expect(server.requests[0]?.method).toBe("GET");
  hasLearned = true;
  expect(await command(server, verdicts, (host) => echo(host, "three"))).toBe("three");
  expect([...verdicts.kept.values()]).toMatchObject([{ era: "modern" }]);
});

// --- lists in pages ---

/** Ends the answer before it is whole. */
function brokenOff(): Response {
  const headers = { "content-type": "text/event-stream" };
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(":\n\n"));
      controller.close();
    },
  });
  return new Response(body, { headers });
}

const forgotten = () => new Response("no session", { status: 404 });
const denied = () => new Response("who?", { status: 401 });

describe.each([
  ["legacy", "breaks off", brokenOff, "server_exit"],
  ["modern", "breaks off", brokenOff, "server_exit"],
  ["legacy", "is of a session that is gone", forgotten, "server_exit"],
  ["modern", "wants a sign-in", denied, "auth_required"],
] as const)("a list (%s) whose third page %s", (era, _, fail, code) => {
  test("is asked for anew where the link is lost, and what came before is kept where that fails", async () => {
    let failures = 1;
    await using server = await serveRemote({
      transport: "http",
      era,
      pageSize: 2,
      intercept: ({ message }) => {
        const { cursor } = ((message as JsonObject | undefined)?.params ?? {}) as JsonObject;
        return cursor === "at-4" && failures-- > 0 ? fail() : undefined;
      },
    });
    await using host = await hostOf(server);
    const one = await host.tools();
    expect(one.failed).toHaveLength(code === "server_exit" ? 0 : 1);
    const whole = await host.tools();
    expect([whole.failed, whole.tools.length > 4]).toEqual([[], true]);
    failures = Infinity;
    await using other = await hostOf(server);
    const half = await other.tools();
    expect(half.failed.map(({ error }) => error.code)).toEqual([code]);
    expect(half.tools).toEqual(whole.tools.slice(0, 4));
    expect(await echo(other, "hi")).toBe("hi");
  });
});

// --- headers of arguments ---

const region = (header: string): FixtureTool => ({
  tool: {
    name: "place",
    inputSchema: { type: "object", properties: { at: { type: "string", "x-mcp-header": header } } },
  },
  run: ({ at }) => ({ content: [{ type: "text", text: `at ${String(at)}` }] }),
});

test("arguments that the schema marks go into headers, over HTTP to a modern server", async () => {
  await using server = await serveRemote({
    transport: "http",
    era: "modern",
    tools: [region("Place")],
  });
  await using host = await hostOf(server);
  expect(textOf(await host.call({ tool: "place", arguments: { at: "Zürich" } }))).toBe("at Zürich");
  expect(server.requests.at(-1)?.headers["mcp-param-place"]).toBe("=?base64?WsO8cmljaA==?=");
});

test("a call that lacked its headers is sent once more after a look at the list", async () => {
  await using server = await serveRemote({
    transport: "http",
    era: "modern",
    tools: [region("Place")],
  });
  await using host = await hostOf(server);
  const call = { tool: "place", arguments: { at: "home" }, validate: false };
  expect(textOf(await host.call(call))).toBe("at home");
  expect(server.methods()).toEqual(["server/discover", "tools/call", "tools/list", "tools/call"]);
});

test("headers that are refused a second time are the server's last word", async () => {
  const error = { code: -32020, message: "headers do not match" };
  await using server = await serveRemote({
    transport: "http",
    era: "modern",
    intercept: ({ message }) =>
      message !== undefined &&
      "method" in message &&
      "id" in message &&
      message.method === "tools/call"
        ? Response.json({ jsonrpc: "2.0", id: message.id, error }, { status: 400 })
        : undefined,
  });
  await using host = await hostOf(server);
  const outcome = await host.call({ tool: "echo", arguments: { text: "hi" } });
  expect(outcome).toMatchObject({
    status: "failed",
    error: { code: "rpc_error", facts: { rpcCode: -32020 } },
  });
  expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(2);
});

test.each(restartable)(
  "a tool with a bad header is left out over modern HTTP alone: %s",
  async (kind, options) => {
    await using server = await serveRemote({ ...options, tools: [region("not a name")] });
    await using host = await hostOf(server);
    const { tools, warnings } = await host.tools();
    const isHttp = kind === "http, modern" || kind === "http, both eras";
    expect(tools.some(({ tool }) => tool === "place")).toBe(!isHttp);
    expect(tools.some(({ tool }) => tool === "echo")).toBe(true);
    const told = warnings.filter(({ text }) =>
      /place.*not a name of a header.*left out/.test(text),
    );
    expect(told).toHaveLength(isHttp ? 1 : 0);
  },
);

// --- goodbyes ---

test("leaving ends the session, and does not wait for a server that does not answer", async () => {
  for (const hangs of [false, true]) {
    await using server = await serveRemote({
      transport: "http",
      intercept: ({ method }) => (method === "DELETE" && hangs ? new Promise(() => {}) : undefined),
    });
    const host = opened({ url: server.url });
    expect(await echo(host, "hi")).toBe("hi");
    await host.leave();
    const last = server.requests.filter(({ method }) => method === "DELETE");
    expect(last).toHaveLength(1);
    expect(last[0]?.headers["mcp-session-id"]).toBeDefined();
  }
});

test("one refusal fails its call alone", async () => {
  // B038
  let calls = 0;
  await using server = await serveRemote({
    transport: "http",
    intercept: ({ message }) =>
      message !== undefined &&
      "method" in message &&
      message.method === "tools/call" &&
      ++calls === 3
        ? new Response("busy", { status: 503 })
        : undefined,
  });
  await using host = await hostOf(server);
  await host.tools();
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, (_, i) => host.call({ tool: "echo", arguments: { text: `${i}` } })),
  );
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => "completed"),
    expect.any(String),
  ]);
  expect(await echo(host, "later")).toBe("later");
  expect(server.methods().filter((method) => method === "initialize")).toHaveLength(1);
});

/** Answers requests of one method in place of the server; undefined lets it answer. */
function answering(
  method: string,
  answer: (id: unknown, count: number) => Response | undefined,
): NonNullable<RemoteServerOptions["intercept"]> {
  let count = 0;
  return ({ message }) =>
    message !== undefined && "id" in message && "method" in message && message.method === method
      ? answer(message.id, ++count)
      : undefined;
}

const refused = (id: unknown, error: object, status = 400) =>
  Response.json({ jsonrpc: "2.0", id, error }, { status });

/** An event stream that ends before there is anything in it. */
const cutOff = () =>
  new Response(": nothing\n\n", { headers: { "content-type": "text/event-stream" } });

test("a session that came with a refused probe is ended", async () => {
  await using server = await serveRemote({
    transport: "http",
    intercept: answering("server/discover", (id) => {
      const refusal = refused(id, { code: -32000, message: "initialize first" });
      refusal.headers.set("mcp-session-id", "stray");
      return refusal;
    }),
  });
  await using host = await hostOf(server);
  expect(await echo(host, "hi")).toBe("hi");
  const ended = server.requests.filter(({ method }) => method === "DELETE");
  expect(ended.map(({ headers }) => headers["mcp-session-id"])).toEqual(["stray"]);
});

test("a call whose answer was lost is uncertain, and never sent again", async () => {
  for (const era of ["legacy", "modern"] as const) {
    await using server = await serveRemote({
      transport: "http",
      era,
      intercept: answering("tools/call", cutOff),
    });
    await using host = await hostOf(server);
    const outcome = await host.call({ tool: "echo", arguments: { text: "hi" } });
    expect(outcome).toMatchObject({ status: "uncertain", error: { code: "uncertain" } });
    expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(1);
  }
});

test("a list whose answer was lost is asked for once more, and no oftener", async () => {
  for (const times of [1, 2]) {
    await using server = await serveRemote({
      transport: "http",
      era: "modern",
      intercept: answering("tools/list", (_, count) => (count <= times ? cutOff() : undefined)),
    });
    await using host = await hostOf(server);
    const { failed } = await host.tools();
    expect(failed).toHaveLength(times - 1);
    expect(server.methods()).toEqual(["server/discover", "tools/list", "tools/list"]);
  }
});

test("a call that is refused for its revision is negotiated anew, and sent once more", async () => {
  const error = { code: -32022, message: "no", data: { supported: ["2026-07-28"] } };
  await using server = await serveRemote({
    transport: "http",
    era: "modern",
    intercept: answering("tools/call", (id, count) =>
      count === 1 ? refused(id, error) : undefined,
    ),
  });
  await using host = await hostOf(server);
  expect(await echo(host, "hi")).toBe("hi");
  const once = ["server/discover", "tools/list", "tools/call"];
  expect(server.methods()).toEqual([...once, "server/discover", "tools/call"]);
});

test.each(["legacy", "modern"] as const)(
  "a server that is replaced by one of the other era (%s before) is used on",
  async (before) => {
    await using old = await serveRemote({ transport: "http", era: before });
    const after = before === "legacy" ? "modern" : "legacy";
    await using young = await serveRemote({ transport: "http", era: after });
    let now = old;
    await using place = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ method, headers, body }) => fetch(now.url, { method, headers, body }),
    });
    await using host = await createHost({ servers: { far: { url: place.url.href } } });
    expect(await echo(host, "a")).toBe("a");
    now = young;
    // That one may be told as it was refused.
    expect(await echo(host, "b")).toMatch(/^failed: .*(_meta lacks|Session-Id header is required)/);
    expect(await echo(host, "c")).toBe("c");
    expect(host.servers()).toMatchObject([{ state: "ready", era: after }]);
  },
);

test("a call that a modern server may have done is not repeated, though it is legacy by now", async () => {
  let isOld = false;
  const others = ["server/discover", "tools/call"];
  await using server = await serveRemote({
    transport: "http",
    era: "both",
    intercept: ({ message, headers }) => {
      const isModern = headers["mcp-method"] !== undefined;
      if (!isOld || !isModern || message === undefined || !("method" in message)) return undefined;
      if (!others.includes(message.method) || !("id" in message)) return undefined;
      return refused(message.id, { code: -32000, message: "no session" });
    },
  });
  await using host = await hostOf(server);
  expect(await echo(host, "a")).toBe("a");
  isOld = true;
  const outcome = await host.call({ tool: "echo", arguments: { text: "b" } });
  expect(outcome).toMatchObject({ status: "failed", error: { code: "rpc_error" } });
  expect(await echo(host, "c")).toBe("c");
  expect(host.servers()).toMatchObject([{ era: "legacy" }]);
});

test("a legacy server that is modern by now says so itself: nothing is noticed", async () => {
  let isNew = false;
  const error = { code: -32022, message: "no", data: { supported: ["2026-07-28"] } };
  await using server = await serveRemote({
    transport: "http",
    era: "both",
    intercept: ({ message, headers }) => {
      if (message === undefined || !("id" in message)) return undefined;
      if (headers["mcp-method"] !== undefined)
        return isNew ? undefined : refused(message.id, { code: -32601, message: "no" });
      return isNew ? refused(message.id, error) : undefined;
    },
  });
  await using host = await hostOf(server);
  expect(await echo(host, "a")).toBe("a");
  isNew = true;
  expect(await echo(host, "b")).toBe("b");
  expect(host.servers()).toMatchObject([{ era: "modern" }]);
});

test.each([-32020, -32021, -32022])(
  "a legacy server may use the code %p for a call that it did: it is not made again",
  async (code) => {
    await using server = await serveRemote({
      transport: "http",
      intercept: answering("tools/call", (id) => refused(id, { code, message: "mine" }, 200)),
    });
    await using host = await hostOf(server);
    const outcome = await host.call({ tool: "echo", arguments: { text: "hi" } });
    expect(outcome).toMatchObject({ status: "failed", error: { facts: { rpcCode: code } } });
    expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(1);
  },
);

test("a session that is lost again and again is reported, not opened for ever", async () => {
  // B040, B041
  await using server = await serveRemote({
    transport: "http",
    intercept: answering("tools/call", () =>
      refused(null, { code: -32000, message: "Session not found" }),
    ),
  });
  await using host = await hostOf(server);
  const outcome = await host.call({ tool: "echo", arguments: { text: "hi" } });
  expect(outcome).toMatchObject({ status: "failed", error: { code: "server_exit" } });
  expect(server.methods().filter((method) => method === "initialize")).toHaveLength(2);
  expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(2);
  for (const { message, headers } of server.requests)
    if (message !== undefined && "method" in message && message.method === "initialize")
      expect(headers["mcp-session-id"]).toBeUndefined();
});

test("a call that was answered under its own id is never sent again", async () => {
  await using server = await serveRemote({
    transport: "http",
    intercept: answering("tools/call", (id) =>
      refused(id, { code: -32000, message: "argument session_id is no uuid" }),
    ),
  });
  await using host = await hostOf(server);
  const outcome = await host.call({ tool: "echo", arguments: { text: "hi" } });
  expect(outcome).toMatchObject({ status: "failed", error: { code: "rpc_error" } });
  expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(1);
});

test("a server that was not there is tried again by the next call, without a pause", async () => {
  await using server = await serveRemote({ transport: "http" });
  await server.stop();
  await using host = await hostOf(server);
  for (let i = 0; i < 8; i++) {
    const { failed } = await host.tools();
    expect(failed[0]?.error).toMatchObject({
      code: "server_start",
      facts: { errno: "ECONNREFUSED" },
    });
  }
  server.start();
  expect(await echo(host, "hi")).toBe("hi");
});

test("a file of certificates that is not there is an error of the config", async () => {
  await using host = await createHost({
    servers: { far: { url: "https://localhost:1/mcp", tls: { ca: "/nowhere/ca.pem" } } },
  });
  const { failed } = await host.tools();
  expect(failed[0]?.error).toMatchObject({ code: "config", facts: { file: "/nowhere/ca.pem" } });
});
