import { expect, test } from "bun:test";

import { version } from "../../package.json";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import type { TempDir } from "../harness.ts";

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
function recorder(era: Era, stage: string, what: string): Recorder {
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

const odds: Odds = {
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
const refusals: Odds = {
  "taken elsewhere": async (_id, _result, request) =>
    new Response(null, { status: 303, headers: { Location: request.url } }),
  "never now": async () => new Response(null, { status: 503 }),
  "not now, with an answer": async (id, result) =>
    Response.json({ jsonrpc: "2.0", id, result }, { status: 503, headers: { "Retry-After": "0" } }),
};

function resultOf(era: Era, method: string, params: { arguments?: { message?: string } }) {
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

/** What says how long a body is, and who is asked, is the platform's. */
function ownHeaders(headers: Headers): Record<string, string> {
  const own = headers.toJSON() as Record<string, string>;
  for (const name of ["host", "content-length", "connection"]) delete own[name];
  return own;
}

function call({ path }: TempDir, url: string, ...flags: string[]) {
  return mcphost("call", "echo", "message=hi", "-s", `it=${url}`, ...flags).home(path);
}

const sent = {
  legacy: ["initialize", "notifications/initialized", "tools/list", "tools/call"],
  modern: ["tools/list", "tools/call"],
};
const callsIn = (got: Got[]) => got.filter(({ method }) => method === "tools/call");

for (const era of ["legacy", "modern"] as const)
  for (const stage of ["server/discover", ...sent[era]])
    test.concurrent.each(["nothing", ...Object.keys(odds)])(
      `${era}, %s before ${stage}: the call is made once, whoever goes on`,
      async (what) => {
        await using home = await tempDir();
        using server = recorder(era, stage, what);
        for (const known of [false, true]) {
          server.begin();
          const { code, stdout } = await call(home, server.url).run();
          // An answer to nobody leaves its request without one.
          if (what === "a string for an id" && code !== 0) return;
          expect({ code, stdout, known }).toEqual({ code: 0, stdout: "hi\n", known });
          const asked = server.got.map(({ method }) => method).filter((method) => method !== "");
          const isRepeated = what === "a redirect" || what === "not now";
          if (stage !== "tools/call" || !isRepeated) expect(callsIn(server.got)).toHaveLength(1);
          if (what === "nothing" && known) expect(asked).toEqual(sent[era]);
        }
      },
    );

test("what is asked is what the host asks, byte for byte", async () => {
  for (const era of ["legacy", "modern"] as const) {
    await using home = await tempDir();
    await using other = await tempDir();
    using server = recorder(era, "", "");
    for (let run = 0; run < 2; run += 1) {
      expectRun(await call(home, server.url).run(), { stdout: "hi\n" });
      const plain = server.got.splice(0).filter(({ http }) => http !== "GET");
      // The flag makes it a call of the host's.
      expectRun(await call(other, server.url, "--no-user-config").run(), { stdout: "hi\n" });
      const whole = server.got.splice(0).filter(({ http }) => http !== "GET");
      expect(plain).toEqual(whole);
    }
  }
});

test.concurrent.each([
  ["mcphost/VERSION", [], `mcphost/${version}`],
  ["a header", ["--header", "user-agent: me/1"], "me/1"],
])("every request says who asks: %s", async (_name, flags, agent) => {
  for (const era of ["legacy", "modern"] as const) {
    await using home = await tempDir();
    using server = recorder(era, "", "");
    expectRun(await call(home, server.url, ...flags).run(), { stdout: "hi\n" });
    expectRun(await call(home, server.url, "--no-user-config", ...flags).run(), { stdout: "hi\n" });
    expect(server.got.length).toBeGreaterThan(4);
    for (const { headers } of server.got) expect(headers["user-agent"]).toBe(agent);
  }
});

test.concurrent.each(Object.keys(refusals))(
  "a call that is refused, %s, is not made again",
  async (what) => {
    await using home = await tempDir();
    using server = recorder("modern", "tools/call", what);
    const ends: unknown[] = [];
    // A flag makes it a call of the host's.
    for (const flags of [[], ["--no-user-config"]]) {
      server.begin();
      const { code, stdout, stderr } = await call(home, server.url, ...flags).run();
      ends.push({ code, stdout, stderr, calls: callsIn(server.got).length });
    }
    expect(ends[0]).toEqual(ends[1]);
    expect(ends[1]).toMatchObject({ calls: 1 });
  },
);

test.concurrent.each(["=", "-x="])("a line that is wrong asks nobody: -s %sURL", async (name) => {
  await using home = await tempDir();
  using server = recorder("modern", "", "");
  const run = mcphost("call", "echo", "message=hi", "-s", `${name}${server.url}`).home(home.path);
  expectRun(await run.run(), { code: 2, stderr: /./ });
  expect(server.got).toEqual([]);
});

test("a port that cannot be is one where nothing listens", async () => {
  await using home = await tempDir();
  const stderr = /nothing listens on 127.0.0.1:0/;
  expectRun(await call(home, "http://127.0.0.1:0/mcp").run(), { code: 3, stderr });
});

test.each(["a known length", "an unknown length"])(
  "a call whose answer of %s breaks off is not made again",
  async (length) => {
    await using home = await tempDir();
    let calls = 0;
    using server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      data: { text: "" },
      socket: {
        open: (socket) => void (socket.data = { text: "" }),
        data(socket, bytes) {
          socket.data.text += bytes.toString();
          const [asked = "", text = ""] = socket.data.text.split("\r\n\r\n");
          const awaited = Number(/content-length: (\d+)/i.exec(asked)?.[1] ?? Infinity);
          if (text.length < awaited) return;
          const { id, method, params } = JSON.parse(text);
          const result = resultOf("modern", method, params);
          const body = JSON.stringify({ jsonrpc: "2.0", id, result });
          const isCall = method === "tools/call";
          calls += Number(isCall);
          const head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n";
          if (!isCall)
            return void socket.end(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
          const known = length === "a known length";
          const how = known ? `Content-Length: ${body.length}` : "Transfer-Encoding: chunked";
          const part = known ? body.slice(0, 9) : `9\r\n${body.slice(0, 9)}\r\n`;
          socket.end(`${head}${how}\r\n\r\n${part}`);
        },
      },
    });
    const url = `http://127.0.0.1:${server.port}/mcp`;
    for (const code of [6, 6])
      expectRun(await call(home, url).run(), { code, stderr: /may or may not have been done/ });
    expect(calls).toBe(2);
  },
);
