/** Streamable HTTP: what a server may answer with, right and wrong; each request gets one clear end, and the next call works. */
import { describe, expect, test } from "bun:test";

import {
  answer,
  failure,
  greet,
  modern,
  open,
  serve,
  soon,
  stream,
  until,
} from "../fixtures/http/kit.ts";
import type { Opened } from "../fixtures/http/kit.ts";
import { serveRaw } from "../fixtures/http/raw.ts";

const json = { "content-type": "application/json" };
const html = { "content-type": "text/html; charset=utf-8" };
const result = (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"n":1.50}}`;
const refusal = { code: -32602, message: "no such thing", data: { at: 1 } };

/** One request under id 1 that is answered with `response`, and a second one that must work. */
async function ask(
  response: Response | (() => Promise<Response>),
  options: Parameters<typeof open>[1] = {},
): Promise<{ text?: string; error?: any; link: Opened; requests: number }> {
  await using server = serve((seen) => {
    if (seen.method !== "first") return undefined;
    return typeof response === "function" ? response() : response;
  });
  await using link = open(server.url, options);
  const outcome = await link.peer.request("first", {}, soon).then(
    ({ text }) => ({ text }),
    (error: unknown) => ({ error }),
  );
  expect((await link.peer.request("second", {}, soon)).response.result).toEqual({ from: "second" });
  return { ...outcome, link, requests: server.of("first").length };
}

describe("an answer that is taken", () => {
  test.each<[string, string, Record<string, string>]>([
    ["JSON", result(1), json],
    ["JSON with a charset", result(1), { "content-type": 'Application/JSON; charset="UTF-8"' }],
    ["a byte order mark", `\uFEFF${result(1)}`, json],
    ["JSON as plain text", result(1), { "content-type": "text/plain" }],
    ["JSON as HTML", result(1), html],
    ["JSON of a type of its own", result(1), { "content-type": "application/vnd.x+json" }],
    ["the id as a string", result("1"), json],
    ["no jsonrpc member (G005)", '{"id":1,"result":{"n":1.50}}', json],
    ["another jsonrpc (G005)", '{"jsonrpc":"1.0","id":1,"result":{"n":1.50}}', json],
  ])("%s", async (_name, body, headers) => {
    const { text } = await ask(new Response(body, { headers }));
    expect(text).toBe(body.replace("\uFEFF", ""));
  });

  test("without a content type", async () => {
    const bytes = new TextEncoder().encode(result(1));
    expect((await ask(new Response(bytes))).text).toBe(result(1));
  });

  test("an array of them (2025-03-26), in any order", async () => {
    const note = { jsonrpc: "2.0", method: "notifications/message", params: {} };
    const heard: string[] = [];
    const batch = `[${JSON.stringify(note)},${result(1)}]`;
    const { text } = await ask(new Response(batch, { headers: json }), {
      peer: { onNotification: (method) => void heard.push(method) },
    });
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{"n":1.5}}');
    expect(heard).toEqual(["notifications/message"]);
  });

  test.each(["gzip", "br", "deflate", "zstd"] as const)("B029: in %s", async (encoding) => {
    const { compress } = await import("../fixtures/http/compress.ts");
    const body = await compress(encoding, result(1));
    const headers = { ...json, "content-encoding": encoding };
    expect((await ask(new Response(body, { headers }))).text).toBe(result(1));
  });

  test("of many megabytes in chunks, exactly", async () => {
    const part = "grüße 🎉 ".repeat(1000);
    const whole = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text: part.repeat(500) } });
    const bytes = new TextEncoder().encode(whole);
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + 65_537));
        at += 65_537;
      },
    });
    expect((await ask(new Response(body, { headers: json }))).text === whole).toBe(true);
  });
});

describe("a JSON-RPC error comes before the status, and is the request's whatever id it has", () => {
  test.each([400, 403, 404, 405, 406, 409, 422, 429, 500, 503])(
    "under status %d",
    async (status) => {
      for (const id of [1, null, undefined]) {
        const body = { jsonrpc: "2.0", ...(id !== undefined && { id }), error: refusal };
        const { error } = await ask(Response.json(body, { status }));
        expect(error).toMatchObject(refusal);
      }
    },
  );

  test("O011: with code 0, under 200", async () => {
    const body = { jsonrpc: "2.0", id: 1, error: { code: 0, message: "zero" } };
    expect((await ask(Response.json(body))).error).toMatchObject({ code: 0, message: "zero" });
  });

  test("B053: parse errors under id null fail the one that they answer, and no other", async () => {
    await using server = serve((seen) => {
      if (seen.method !== "bad") return undefined;
      const error = { code: -32700, message: "Parse error" };
      return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
    });
    await using link = open(server.url);
    const [good, bad] = await Promise.all([
      link.peer.request("good", {}, soon),
      failure(link.peer.request("bad", {}, soon)),
    ]);
    expect(good.response.result).toEqual({ from: "good" });
    expect(bad).toMatchObject({ code: -32700, message: "Parse error" });
  });
});

describe("a refusal without one is an error with the facts", () => {
  test.each<[number, string]>([
    [400, "rpc_error"],
    [404, "rpc_error"],
    [405, "rpc_error"],
    [406, "rpc_error"],
    [409, "rpc_error"],
    [410, "rpc_error"],
    [429, "rpc_error"],
    [500, "rpc_error"],
    [502, "server_exit"],
    [503, "rpc_error"],
    [504, "server_exit"],
  ])("B049: status %d is %s", async (httpStatus, code) => {
    const page = `<html><head><style>x{}</style></head><body><h1>Oh\u0007 no</h1>${"x".repeat(999)}</body></html>`;
    const { error, requests } = await ask(
      new Response(page, { status: httpStatus, headers: html }),
    );
    expect(error).toMatchObject({
      code,
      facts: { server: "srv", method: "first", httpStatus, contentType: "text/html", sent: true },
    });
    expect(error.facts.body).toMatch(/^Oh no x{190,}…$/);
    expect(error.message).toContain(`HTTP ${httpStatus}`);
    expect(requests).toBe(1);
    const nothing = await ask(new Response(null, { status: httpStatus }));
    expect(nothing.error).toMatchObject({ code, facts: { httpStatus } });
  });

  test("when to come back is a fact", async () => {
    const headers = { "retry-after": "7" };
    const { error } = await ask(new Response("later", { status: 429, headers }));
    expect(error.facts).toMatchObject({ httpStatus: 429, retryAfterMs: 7000, body: "later" });
  });

  test("B038: one 503 among several fails that one alone", async () => {
    let count = 0;
    await using server = serve((seen) =>
      seen.method === "call" && ++count === 3 ? new Response("busy", { status: 503 }) : undefined,
    );
    await using link = open(server.url);
    const all = await Promise.allSettled(
      Array.from({ length: 5 }, () => link.peer.request("call", {}, soon)),
    );
    expect(all.filter(({ status }) => status === "rejected")).toHaveLength(1);
    await link.peer.request("call", {}, soon);
  });

  test("B095: neither query nor credentials of the address are told", async () => {
    await using server = serve(() => new Response("no", { status: 500 }));
    const url = server.url.replace("//", "//user:s3cr3t-5@");
    await using link = open(`${url}?key=s3cr3t-6`);
    const error = await failure(link.peer.request("a", {}, soon));
    expect(JSON.stringify([error.message, error.facts, error.hint, link.logs])).not.toContain(
      "s3cr3t",
    );
    expect(error.facts.url).toBe(server.url);
  });

  test("a refusal whose body never ends is told after a while", async () => {
    const { error } = await ask(new Response(stream("wait").response.body, { status: 500 }), {
      times: { refusalMs: 50 },
    });
    expect(error.facts).toMatchObject({ httpStatus: 500, body: "wait" });
  });
});

describe("sign-in", () => {
  test("401 gives what the challenge says, and how to give a token", async () => {
    const challenge =
      'Basic realm="x", Bearer realm="y", error="invalid_token", scope="a b", resource_metadata="https://x.test/.well-known/r?a=1"';
    const { error } = await ask(
      Response.json(
        { error: "invalid_token" },
        { status: 401, headers: { "www-authenticate": challenge } },
      ),
    );
    expect(error).toMatchObject({
      code: "auth_required",
      facts: {
        httpStatus: 401,
        challenge: {
          scheme: "Bearer",
          error: "invalid_token",
          scope: "a b",
          resourceMetadata: "https://x.test/.well-known/r?a=1",
        },
      },
      hint: expect.stringContaining("Authorization: Bearer …"),
    });
  });

  test("401 stays that with a JSON-RPC error in it", async () => {
    const body = { jsonrpc: "2.0", id: null, error: { code: -32000, message: "Unauthorized" } };
    const { error } = await ask(Response.json(body, { status: 401 }));
    expect(error).toMatchObject({
      code: "auth_required",
      message: expect.stringContaining("Unauthorized"),
    });
  });

  test.each([
    ['Basic realm="x"', "", "Authorization: Basic …"],
    ['Bearer error="invalid_token", error_description="it ran out"', "", 'it says "it ran out"'],
    ['Bearer error="insufficient_scope", scope="a:read a:write"', "", "the scopes: a:read a:write"],
  ])("what is asked for is what is told: %s", async (challenge, body, words) => {
    for (const status of challenge.includes("scope") ? [401, 403] : [401]) {
      const headers = { "www-authenticate": challenge };
      const { error } = await ask(new Response(body, { status, headers }));
      expect(error).toMatchObject({ code: "auth_required", hint: expect.stringContaining(words) });
    }
  });

  test.each([
    [407, "HTTP_PROXY"],
    [413, "more than it takes"],
    [421, "try localhost for 127.0.0.1"],
  ])("%d says what to do", async (status, words) => {
    const { error } = await ask(new Response("no", { status }));
    expect(error.hint).toContain(words);
  });

  test("O005: 403 shows its body", async () => {
    const { error } = await ask(
      new Response("Access is only allowed at localhost:1", { status: 403 }),
    );
    expect(error).toMatchObject({ code: "auth_required", facts: { httpStatus: 403 } });
    expect(error.message).toEndWith("(Forbidden) to first: Access is only allowed at localhost:1");
  });
});

describe("a success that is no answer", () => {
  test.each<[string, () => Response, string]>([
    [
      "B028: a page",
      () => new Response("<title>Log in</title>", { headers: html }),
      "gave text/html (HTTP 200 from URL), where JSON or an event stream was expected, to first: Log in",
    ],
    [
      "B028: a page without visible text",
      () => new Response("<html><script src=/app.js></script></html>", { headers: html }),
      "gave text/html (HTTP 200 from URL), where JSON or an event stream was expected, to first",
    ],
    ["nothing", () => new Response("", { headers: json }), "gave an empty answer to first"],
    [
      "202",
      () => new Response(null, { status: 202 }),
      "took a request (HTTP 202) and gave no answer to first",
    ],
    [
      "204",
      () => new Response(null, { status: 204 }),
      "took a request (HTTP 204) and gave no answer to first",
    ],
    [
      "null",
      () => new Response("null", { headers: json }),
      "gave an answer that is no JSON-RPC message to first: null",
    ],
    [
      "JSON of another kind",
      () => new Response('{"ok":true}', { headers: json }),
      'gave an answer that is no JSON-RPC message to first: {"ok":true}',
    ],
    [
      "an empty array",
      () => new Response("[]", { headers: json }),
      "gave an answer that is no JSON-RPC message to first: []",
    ],
    [
      "plain text",
      () => new Response("hello"),
      "gave text/plain (HTTP 200 from URL), where JSON or an event stream was expected, to first: hello",
    ],
    [
      "B029: an unknown encoding",
      () => new Response("xx", { headers: { ...json, "content-encoding": "foo" } }),
      'gave an answer that is encoded as "foo", which we cannot read, to first: xx',
    ],
    [
      "B052: another id",
      () => new Response(result(0), { headers: json }),
      "gave an answer under id 0, which waits for none, to first",
    ],
    [
      "G007: an id that only looks alike",
      () => new Response(result("01x"), { headers: json }),
      'gave an answer under id "01x", which waits for none, to first',
    ],
  ])("%s", async (_name, response, text) => {
    const { error, requests } = await ask(response());
    // What was taken may have been done.
    const code = /^took|empty/.test(text) ? "server_exit" : "rpc_error";
    expect(error).toMatchObject({ code, facts: { server: "srv", sent: true } });
    const said = error.message.replace(String(error.facts.url), "URL");
    expect(said).toStartWith(`server "srv" ${text}`);
    expect(requests).toBe(1);
  });

  test.each([
    ["server/discover", "/mcp at the end"],
    ["initialize", "/mcp at the end"],
    ["tools/call", "greeted there before"],
  ])("the address is doubted only where nobody was greeted yet: %s", async (method, words) => {
    await using server = serve(() => new Response("<p>Log in", { headers: html }));
    await using link = open(server.url);
    expect(await failure(link.peer.request(method, {}, soon))).toMatchObject({
      hint: expect.stringContaining(words),
    });
  });

  test("G004: neither result nor error", async () => {
    const { error } = await ask(new Response('{"jsonrpc":"2.0","id":1}', { headers: json }));
    expect(error).toMatchObject({ code: "rpc_error" });
  });

  test("JSON that is cut, though the HTTP is whole", async () => {
    const { error } = await ask(
      new Response('{"jsonrpc":"2.0","id":1,"result":{"a', { headers: json }),
    );
    expect(error).toMatchObject({
      code: "rpc_error",
      message: expect.stringContaining("is not valid JSON"),
    });
  });

  test("an answer beyond the limit, of known and of unknown length", async () => {
    const large = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text: "x".repeat(100_000) } });
    const chunks = () => new Response(new Blob([large]).stream(), { headers: json });
    for (const response of [new Response(large, { headers: json }), chunks()]) {
      const { error } = await ask(response, { responseBytesMax: 10_000 });
      expect(error).toMatchObject({ code: "rpc_error", facts: { bytesMax: 10_000 } });
    }
  });

  test("a length that is said beside chunks means nothing", async () => {
    const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`;
    await using server = serveRaw((socket) => {
      const type = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
      socket.write(`${type}Content-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n`);
      for (let n = 0; n < 4; n++) socket.write(chunk);
      socket.write(`${result(1).length.toString(16)}\r\n${result(1)}\r\n0\r\n\r\n`);
    });
    await using link = open(server.url, { responseBytesMax: 100_000 });
    expect(await failure(link.peer.request("a", {}, soon))).toMatchObject({
      code: "rpc_error",
      facts: { bytesMax: 100_000 },
    });
  });

  test("a bomb: small as it is sent, large as it is read", async () => {
    const body = Bun.gzipSync(
      Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${"0".repeat(20_000_000)}"}`),
    );
    expect(body.length).toBeLessThan(100_000);
    const headers = { ...json, "content-encoding": "gzip" };
    const { error } = await ask(new Response(body, { headers }), { responseBytesMax: 1_000_000 });
    expect(error).toMatchObject({ code: "rpc_error", facts: { bytesMax: 1_000_000 } });
    expect(error.facts.bytes).toBeLessThan(10_000_000);
  });

  test("G011: nested beyond measure", async () => {
    const deep = `{"jsonrpc":"2.0","id":1,"result":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`;
    const { text, error } = await ask(new Response(deep, { headers: json }));
    expect(text ?? error.code).toBe(text === undefined ? "rpc_error" : deep);
  });
});

describe("notifications", () => {
  test.each<[string, () => Response]>([
    ["B047: 204", () => new Response(null, { status: 204 })],
    ["202", () => new Response(null, { status: 202 })],
    ["200 with nothing", () => new Response("")],
    ["200 with null", () => new Response("null", { headers: json })],
    ["200 with a page", () => new Response("<p>", { headers: html })],
    [
      "200 with an empty stream",
      () => new Response(":\n\n", { headers: { "content-type": "text/event-stream" } }),
    ],
  ])("%s is fine", async (_name, taken) => {
    await using server = serve((seen) =>
      seen.method === "notifications/initialized" ? taken() : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.request("tools/list", {}, soon);
    await until(() => server.of("GET").length === 1);
    expect(link.said("warn")).toEqual([]);
  });

  test("a refusal is a warning, and no end", async () => {
    await using server = serve((seen) =>
      seen.method === "notifications/initialized"
        ? new Response("what?", { status: 500 })
        : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.request("tools/list", {}, soon);
    await until(() => link.said("warn").length === 1);
    expect(link.said("warn")).toEqual(["it refused notifications/initialized (HTTP 500): what?"]);
  });

  test("O010, B058: JSON-RPC errors in answer to a notification disturb nothing", async () => {
    await using server = serve((seen) =>
      seen.method?.startsWith("notifications/")
        ? Response.json({ jsonrpc: "2.0", id: null, error: refusal }, { status: 400 })
        : undefined,
    );
    await using link = open(server.url);
    await link.peer.notify("notifications/x");
    await link.peer.request("tools/list", {}, soon);
  });
});

describe("connections that break", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

  test.each<[string, string]>([
    [
      "G002: chunks without the last one",
      `${head}Transfer-Encoding: chunked\r\n\r\n9\r\n{"id":1,"\r\n`,
    ],
    ["G002: a body shorter than was said", `${head}Content-Length: 500\r\n\r\n${result(1)}`],
    ["no answer at all", ""],
    ["half a head", "HTTP/1.1 200 OK\r\nContent-"],
  ])("%s", async (_name, bytes) => {
    await using server = serveRaw((socket) => {
      socket.write(bytes);
      socket.end();
    });
    await using link = open(server.url);
    const error = await failure(link.peer.request("a", {}, soon));
    expect(error).toMatchObject({ code: "server_exit", facts: { sent: true, method: "a" } });
    expect(error.message).toMatch(
      /^the connection to server "srv" broke before it answered a \(\w+\)$/,
    );
  });

  test("G002: a body longer than was said is cut, and its connection is not used again", async () => {
    await using server = serveRaw(
      (socket) => void socket.write(`${head}Content-Length: 10\r\n\r\n${result(1)}`),
    );
    await using link = open(server.url);
    expect(await failure(link.peer.request("a", {}, soon))).toMatchObject({ code: "rpc_error" });
    expect(await failure(link.peer.request("b", {}, soon))).toMatchObject({ code: "rpc_error" });
    expect(server.connections()).toBe(2);
  });

  test("slow headers and a slow body are waited for as long as the request has time", async () => {
    await using server = serveRaw((socket) => {
      const parts = [
        head,
        `Content-Length: ${result(1).length}\r\n\r\n`,
        ...result(1).match(/.{1,9}/g)!,
      ];
      for (const [index, part] of parts.entries()) setTimeout(() => socket.write(part), index * 10);
    });
    await using link = open(server.url);
    expect((await link.peer.request("a", {}, soon)).text).toBe(result(1));
  });

  test("a half-closed connection still brings its answer", async () => {
    await using server = serveRaw((socket) => {
      socket.write(`${head}Content-Length: ${result(1).length}\r\nConnection: close\r\n\r\n`);
      setTimeout(() => {
        socket.write(result(1));
        socket.shutdown();
      }, 20);
    });
    await using link = open(server.url);
    expect((await link.peer.request("a", {}, soon)).text).toBe(result(1));
  });

  test("a body that stops, and is given up", async () => {
    await using server = serveRaw(
      (socket) => void socket.write(`${head}Content-Length: ${result(1).length}\r\n\r\n{"json`),
    );
    await using link = open(server.url);
    const error = await failure(link.peer.request("a", modern(), { timeoutMs: 60 }));
    expect(error).toMatchObject({ code: "timeout" });
  });

  test("what the fetch itself says is kept", async () => {
    const { HostError } = await import("../../lib/base/errors.ts");
    const refused = new HostError("server_exit", "nothing listens there", {
      facts: { sent: false },
    });
    await using link = open("http://127.0.0.1:1/mcp", { fetch: () => Promise.reject(refused) });
    expect(await failure(link.peer.request("a", {}, soon))).toBe(refused);
    expect(await failure(link.peer.notify("b"))).toBe(refused);
  });
});

test("B037: a server that was started again on its port is used at once", async () => {
  const first = serve((seen) => answer(seen, { life: 1 }));
  const { port, url } = first;
  await using link = open(url);
  await link.peer.request("a", modern(), soon);
  await first[Symbol.asyncDispose]();
  await using _second = serve((seen) => answer(seen, { life: 2 }), port);
  const { response } = await link.peer.request("a", modern(), soon);
  expect(response.result).toEqual({ life: 2 });
});
