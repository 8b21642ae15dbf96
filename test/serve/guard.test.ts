/** Who may ask what: Host, Origin, preflight, tokens, bodies, and what of a request the server itself refuses. */
import { describe, expect, test } from "bun:test";

import { createGuard, type GuardOptions, isLoopback } from "../../lib/serve/guard.ts";
import { isHttpError, withoutPaths } from "../../lib/serve/http-error.ts";
import { waitFor } from "../processes.ts";
import { type Seen, testFace } from "./faces.ts";
import { type KitOptions, sendRaw, serveOver } from "./kit.ts";

/** A served host without servers, with the routes of faces.ts. */
function served(options: KitOptions = {}) {
  const seen: Seen = { asked: [], signals: [] };
  return Object.assign(serveOver({}, { faces: [testFace(seen)], ...options }), { seen });
}

/** The status that the guard refuses a request with; 200 where it lets it in. */
function verdict(headers: Record<string, string>, options: Partial<GuardOptions> = {}): number {
  const guard = createGuard({
    hostname: "127.0.0.1",
    port: () => 3003,
    secure: false,
    origins: [],
    publicUrl: undefined,
    tokens: [],
    startKey: undefined,
    ...options,
  });
  try {
    guard.check(new Request("http://any/", { headers }));
    return 200;
  } catch (error) {
    if (isHttpError(error)) return error.status;
    throw error;
  }
}

describe("Host", () => {
  test.each(["localhost:3003", "127.0.0.1:3003", "[::1]:3003", "LocalHost:3003"])(
    "ours: %s",
    (host) => {
      expect(verdict({ host })).toBe(200);
    },
  );

  test.each([
    "evil.example",
    "evil.example:3003",
    "localhost",
    "localhost:3004",
    "127.0.0.1.evil.example:3003",
    "localhost:3003, evil.example",
    "localhost:3003.evil.example",
    "192.168.1.5:3003",
    "0.0.0.0:3003",
    "",
  ])("not ours: %j", (host) => {
    expect(verdict({ host })).toBe(403);
  });

  test("none at all is a bad request", () => {
    expect(verdict({})).toBe(400);
  });

  test("the public address counts, with its own port", () => {
    const publicUrl = "https://tools.example.com";
    expect(verdict({ host: "tools.example.com" }, { publicUrl })).toBe(200);
    expect(verdict({ host: "tools.example.com:3003" }, { publicUrl })).toBe(403);
  });

  test("the default port may be left out", () => {
    expect(verdict({ host: "localhost" }, { port: () => 80 })).toBe(200);
    expect(verdict({ host: "localhost" }, { port: () => 443, secure: true })).toBe(200);
    expect(verdict({ host: "localhost" }, { port: () => 443 })).toBe(403);
  });

  test("at all addresses, an address is ours and a name is not", () => {
    const everywhere = { hostname: "0.0.0.0" };
    expect(verdict({ host: "192.168.1.5:3003" }, everywhere)).toBe(200);
    expect(verdict({ host: "[fe80::1]:3003" }, { hostname: "::" })).toBe(200);
    expect(verdict({ host: "192.168.1.5:80" }, everywhere)).toBe(403);
    expect(verdict({ host: "rebound.example:3003" }, everywhere)).toBe(403);
  });

  test("a socket has no name", () => {
    expect(verdict({ host: "anything" }, { hostname: undefined })).toBe(200);
  });

  test.each(["127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"])("%s is loopback", (name) => {
    expect(isLoopback(name)).toBe(true);
  });

  test.each(["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example", "localhost.evil.example"])(
    "%s is not",
    (name) => {
      expect(isLoopback(name)).toBe(false);
    },
  );
});

describe("Origin", () => {
  const host = "localhost:3003";

  test.each(["http://localhost:3003", "http://127.0.0.1:3003", "http://[::1]:3003"])(
    "ours: %s",
    (origin) => {
      expect(verdict({ host, origin })).toBe(200);
    },
  );

  test.each([
    "null",
    "",
    "http://evil.example",
    "http://localhost:3004",
    "http://localhost",
    "https://localhost:3003",
    "http://localhost:3003.evil.example",
    "file://",
    "chrome-extension://abc",
  ])("not ours: %j", (origin) => {
    expect(verdict({ host, origin })).toBe(403);
  });

  test("none at all is fine: no page asks without", () => {
    expect(verdict({ host })).toBe(200);
  });

  test("a configured one may ask, however it is written; its neighbours may not", () => {
    const options = { origins: ["http://page.example:8080/", "https://Other.example"] };
    expect(verdict({ host, origin: "http://page.example:8080" }, options)).toBe(200);
    expect(verdict({ host, origin: "https://other.example" }, options)).toBe(200);
    expect(verdict({ host, origin: "http://page.example" }, options)).toBe(403);
    expect(verdict({ host, origin: "null" }, options)).toBe(403);
  });
});

describe("over the wire", () => {
  test("an evil Host, Origin or no Host at all reaches no route", async () => {
    await using it = served();
    const port = it.served.port!;
    const get = (...headers: string[]) =>
      sendRaw(port, `GET /hello HTTP/1.1\r\n${headers.join("\r\n")}\r\nConnection: close\r\n\r\n`);
    expect(await get("Host: evil.example")).toMatch(/^HTTP\/1.1 403 .*"code":"forbidden"/s);
    expect(await get(`Host: localhost:${port}`, "Host: evil.example")).toMatch(/^HTTP\/1.1 403 /);
    expect(await get(`Host: localhost:${port}`, "Origin: null")).toMatch(/^HTTP\/1.1 403 /);
    expect(await sendRaw(port, "GET /hello HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 400 /);
    // The target of a proxy's request names another host than the header, which counts.
    const absolute = `GET http://evil.example/hello HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(port, absolute)).toMatch(/^HTTP\/1.1 (200|400|404) /);
    expect(it.seen.asked.filter((path) => path !== "GET /hello")).toEqual([]);
  });

  test("no CORS by default, not even for ours", async () => {
    await using it = served();
    const answer = await it.ask("/hello", { headers: { origin: it.served.url } });
    expect(answer.status).toBe(200);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual(
      [],
    );
  });

  test("a cache keeps the answers of pages apart from those of others", async () => {
    await using it = served({ origins: ["http://page.example"] });
    for (const path of ["/hello", "/nothing"])
      expect((await it.ask(path)).headers.get("vary")).toBe("origin");
  });

  test("a preflight is answered for the configured origins alone, and needs no token", async () => {
    const origin = "http://page.example";
    await using it = served({ origins: [origin], tokens: [{ name: "ci", token: "secret-1" }] });
    const preflight = (from: string) =>
      it.ask("/echo", {
        method: "OPTIONS",
        headers: {
          origin: from,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type,authorization",
        },
      });
    const allowed = await preflight(origin);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
    expect(allowed.headers.get("access-control-allow-methods")).toContain("POST");
    expect(allowed.headers.get("access-control-allow-headers")).toBe("content-type,authorization");
    expect((await preflight("http://evil.example")).status).toBe(403);
    expect((await preflight("null")).status).toBe(403);
    const own = await preflight(it.served.url);
    expect(own.status).toBe(204);
    expect(own.headers.get("access-control-allow-origin")).toBeNull();
    expect(it.seen.asked).toEqual([]);
  });

  test("a page of a configured origin can read every answer, errors too", async () => {
    const origin = "http://page.example";
    await using it = served({ origins: [origin] });
    for (const path of ["/hello", "/nothing", "/fails"]) {
      const answer = await it.ask(path, { headers: { origin } });
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("vary")).toBe("origin");
    }
  });

  test("and what a 401 asks for, and the session", async () => {
    const origin = "http://page.example";
    await using it = served({ origins: [origin], tokens: [{ name: "ci", token: "secret-1" }] });
    const { status, headers } = await it.ask("/hello", { headers: { origin } });
    const exposed = headers.get("access-control-expose-headers")?.split(", ");
    expect(status).toBe(401);
    expect(exposed).toEqual(expect.arrayContaining(["www-authenticate", "mcp-session-id"]));
  });
});

describe("tokens", () => {
  const tokens = [
    { name: "ci", token: "token-of-ci", tools: ["fs_read*"] },
    { name: "me", token: "token-of-me" },
  ];

  test("with any, a request without one is 401; each has its owner and its tools", async () => {
    await using it = served({ tokens });
    const without = await it.ask("/who");
    expect(without.status).toBe(401);
    expect(without.headers.get("www-authenticate")).toStartWith("Bearer");
    expect(await without.json()).toMatchObject({ error: { code: "unauthorized" } });
    const all = { hasToken: true, isStranger: false, reads: true };
    expect(await (await it.ask("/who", { token: "token-of-ci" })).json()).toEqual({
      ...all,
      owner: "ci",
      writes: false,
    });
    expect(await (await it.ask("/who", { token: "token-of-me" })).json()).toEqual({
      ...all,
      owner: "me",
      writes: true,
    });
  });

  test.each([
    "Bearer wrong",
    "Bearer token-of-c",
    "Bearer token-of-ci2",
    "Bearer token-of-ci token-of-me",
    "Bearer",
    "Bearer ",
    "Basic token-of-ci",
    "token-of-ci",
    "",
  ])("401 for %j", async (authorization) => {
    await using it = served({ tokens });
    expect((await it.ask("/who", { headers: { authorization } })).status).toBe(401);
    // A wrong one is no better where none is asked for, or where the route is open.
    expect((await it.ask("/open", { headers: { authorization } })).status).toBe(401);
    await using free = served();
    expect((await free.ask("/who", { headers: { authorization } })).status).toBe(401);
  });

  test("the scheme may be written in any case", async () => {
    await using it = served({ tokens });
    const headers = { authorization: "bEARER  token-of-ci " };
    expect((await it.ask("/who", { headers })).status).toBe(200);
  });

  test("an open route is answered without one, to a stranger", async () => {
    await using it = served({ tokens });
    const stranger = await (await it.ask("/open")).json();
    expect(stranger).toMatchObject({ isStranger: true, hasToken: false, reads: false });
    expect(await (await it.ask("/open", { token: "token-of-ci" })).json()).toMatchObject({
      isStranger: false,
      owner: "ci",
    });
  });

  test("what nothing answers is told nobody without a token", async () => {
    await using it = served({ tokens });
    expect((await it.ask("/nothing")).status).toBe(401);
    expect((await it.ask("/nothing", { token: "token-of-ci" })).status).toBe(404);
  });

  test("but that there is no way to sign in is told who looks for one", async () => {
    await using it = served({ tokens });
    for (const path of ["oauth-protected-resource/mcp", "oauth-authorization-server"])
      expect((await it.ask(`/.well-known/${path}`)).status).toBe(404);
    const headers = { host: "evil.example" };
    expect((await it.ask("/.well-known/oauth-protected-resource", { headers })).status).toBe(403);
  });

  test("deciding needs a token or the start key, on loopback too; an Origin is none", async () => {
    const origin = "http://page.example";
    await using it = served({ startKey: "start-key-1", origins: [origin] });
    const decide = (options: object = {}) => it.ask("/decide", { method: "POST", ...options });
    expect((await decide()).status).toBe(401);
    expect((await decide({ headers: { origin } })).status).toBe(401);
    const { error } = (await (await decide()).json()) as { error: object };
    expect(error).toMatchObject({
      message: "this needs the start key",
      hint: "send Authorization: Bearer KEY",
    });
    expect((await decide({ token: "start-key-2" })).status).toBe(401);
    expect(await (await decide({ token: "start-key-1" })).json()).toMatchObject({
      owner: "default",
      hasToken: true,
      writes: true,
    });
    expect(await (await it.ask("/who")).json()).toMatchObject({ hasToken: false, writes: true });
  });
});

describe("bodies", () => {
  test.each(["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])(
    "%s is JSON",
    async (type) => {
      await using it = served();
      const answer = await it.ask("/echo", post('{"a":12345678901234567890}', type));
      // No digit is lost on the way.
      expect(await answer.text()).toBe('{"got":{"a":12345678901234567890}}');
    },
  );

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "application/json-rpc",
    "text/plain; application/json",
    undefined,
  ])("415 for %p", async (type) => {
    await using it = served();
    const answer = await it.ask("/echo", post(new TextEncoder().encode("{}"), type));
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ error: { code: "unsupported_media_type" } });
  });

  // RFC 9110, 8.4 and 12.5.3
  test.each([
    ["gzip", 415],
    ["br, gzip", 415],
    ["identity", 200],
  ])("a body in %s: %d", async (coding, status) => {
    await using it = served();
    const asked = post(new TextEncoder().encode("{}"), "application/json");
    const headers = { ...asked.headers, "content-encoding": coding };
    const answer = await it.ask("/echo", { ...asked, headers });
    expect(answer.status).toBe(status);
    if (status === 200) return;
    expect(answer.headers.get("accept-encoding")).toBe("identity");
    expect(await answer.json()).toMatchObject({
      error: {
        code: "unsupported_media_type",
        message: `a body in the coding ${coding} is not read`,
        hint: "send it as it is, without Content-Encoding",
      },
    });
  });

  test.each(["", "{", "[1,]", "nope", '{"a":1}{"b":2}', "\u0000"])("400 for %j", async (body) => {
    await using it = served();
    const answer = await it.ask("/echo", post(body, "application/json"));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: "bad_request" } });
  });

  test("400 for what is not UTF-8", async () => {
    await using it = served();
    const bytes = Uint8Array.of(0x22, 0xff, 0xfe, 0x22);
    expect((await it.ask("/echo", post(bytes, "application/json"))).status).toBe(400);
  });

  test("12 MB come whole", async () => {
    await using it = served();
    const text = JSON.stringify("x".repeat(12_000_000));
    const answer = await it.ask("/length", post(text, "application/json"));
    expect(await answer.json()).toBe(text.length);
  });

  test("at the bound is fine; over it is 413 as JSON, with a length and without", async () => {
    await using it = served({ bodyBytesMax: 100_000 });
    const fits = await it.ask("/length", post("x".repeat(100_000), "application/json"));
    expect(await fits.json()).toBe(100_000);
    const over = await it.ask("/length", post("x".repeat(100_001), "application/json"));
    expect([over.status, await over.json()]).toMatchObject([413, { error: { code: "too_large" } }]);
    // It says less than it sends in chunks, without any length.
    const pieces = Array.from({ length: 101 }, () => "x".repeat(1000));
    const body = new ReadableStream({
      pull: (controller) => {
        const piece = pieces.pop();
        if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      },
    });
    const chunked = await it.ask("/length", post(body, "application/json"));
    expect([chunked.status, await chunked.json()]).toMatchObject([
      413,
      { error: { code: "too_large" } },
    ]);
  });

  test.each([
    [20, 200],
    [200_000, 413],
  ])("one of %d bytes that says so twice: %d", async (bytes, status) => {
    await using it = served({ bodyBytesMax: 100_000 });
    const port = it.served.port!;
    const length = `Content-Length: ${bytes}\r\n`;
    const head = `POST /length HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\n`;
    const text = JSON.stringify("x".repeat(bytes - 2));
    const said = await sendRaw(port, `${head}${length}${length}\r\n${text}`);
    expect(said).toStartWith(`HTTP/1.1 ${status} `);
  });

  test("one that takes too long is 408; one that breaks off disturbs nobody", async () => {
    await using it = served({ bodyMs: 150 });
    const port = it.served.port!;
    const head = `POST /echo HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
    expect(await sendRaw(port, `${head}{"a":`, 5000)).toMatch(/^HTTP\/1.1 408 .*request_timeout/s);
    await sendRaw(port, `${head}{"a":`, 20);
    expect((await it.ask("/hello")).status).toBe(200);
  });
});

describe("what is asked", () => {
  test("404, 405 with what is allowed, HEAD without a body", async () => {
    await using it = served();
    const nothing = await it.ask("/nothing");
    expect([nothing.status, await nothing.json()]).toMatchObject([
      404,
      { error: { code: "not_found" } },
    ]);
    const wrong = await it.ask("/hello", { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(await wrong.json()).toMatchObject({ error: { code: "method_not_allowed" } });
    const head = await it.ask("/hello", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test.each(["__proto__", "constructor", "toString", "a%2Fb", "%F0%9F%98%80"])(
    "a name is only a name: %s",
    async (name) => {
      await using it = served();
      const answer = await it.ask(`/names/${name}`);
      expect(await answer.text()).toBe(`{"name":${JSON.stringify(decodeURIComponent(name))}}`);
    },
  );

  test("no method is looked for in a prototype", async () => {
    await using it = served();
    const port = it.served.port!;
    for (const method of ["constructor", "__proto__", "TRACE", "toString"]) {
      const said = await sendRaw(
        port,
        `${method} /hello HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
      );
      expect(said).not.toMatch(/^HTTP\/1.1 (2|500)/);
    }
    expect(it.seen.asked).toEqual([]);
  });
});

describe("errors", () => {
  test("say nothing of paths, of a server's stderr or of what broke", async () => {
    await using it = served();
    const fails = await it.ask("/fails");
    expect(fails.status).toBe(502);
    expect(await fails.json()).toEqual({
      error: {
        code: "server_start",
        message: 'server "x" cannot be started: …/x is gone',
        hint: "look into …/x.log",
        server: "x",
      },
    });
    const breaks = await it.ask("/breaks");
    expect(breaks.status).toBe(500);
    expect(await breaks.text()).not.toMatch(/secret|home/);
    // Whoever runs it is told.
    expect(it.logged.map(({ text }) => text)).toContain("GET /breaks: secret of /home/me");
  });

  test("B095 hide what is secret, whatever they are about", async () => {
    await using it = served({ redact: hideStart });
    expect(await (await it.ask("/fails")).text()).toContain('server \\"x\\" cannot be ***ed');
    expect(await (await it.ask("/start")).text()).toContain("nothing is at /***");
    expect(await (await it.ask("/start")).text()).toContain("GET / lists what there is");
  });

  test.each([
    ["open /etc/ssl/x.pem: no", "open …/x.pem: no"],
    ['"/a/b c/d"', '"…/b c/d"'],
    ["at http://localhost:3/mcp/x", "at http://localhost:3/mcp/x"],
    ["a/b and 1/2", "a/b and 1/2"],
    ["/one", "/one"],
  ])("%j is shown as %j", (text, shown) => {
    expect(withoutPaths(text)).toBe(shown);
  });
});

describe("what the server itself refuses", () => {
  const bodyless = "Content-Type: application/json\r\n";

  test.each([
    ["both lengths", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhellox"],
    ["a negative length", "Content-Length: -5\r\n\r\nhello"],
    ["a length with a sign", "Content-Length: +5\r\n\r\nhello"],
    ["another coding", "Transfer-Encoding: identity\r\n\r\n"],
    ["a coding like chunked", "Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\nabc"],
    ["chunked and another", "Transfer-Encoding: chunked, identity\r\n\r\n3\r\nabc\r\n0\r\n\r\n"],
    ["a space before the colon", "Content-Length : 3\r\n\r\nabc"],
    ["a folded header", "X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}"],
    ["a chunk that is none", "Transfer-Encoding: chunked\r\n\r\nZZ\r\nabc\r\n0\r\n\r\n"],
  ])("%s", async (_what, rest) => {
    await using it = served();
    const port = it.served.port!;
    const said = await sendRaw(
      port,
      `POST /echo HTTP/1.1\r\nHost: localhost:${port}\r\n${bodyless}${rest}`,
    );
    expect(said).toMatch(/^HTTP\/1.1 400 /);
    expect(said).not.toContain('"got"');
  });

  test("lines that end in LF alone", async () => {
    await using it = served();
    const said = await sendRaw(it.served.port!, "GET /hello HTTP/1.1\nHost: localhost\n\n");
    expect(said).toMatch(/^HTTP\/1.1 (400|505) /);
    expect(it.seen.asked).toEqual([]);
  });

  test.each([
    ["a long header", `X: ${"a".repeat(20_000)}\r\n`],
    ["many headers", Array.from({ length: 300 }, (_, at) => `X${at}: 1\r\n`).join("")],
  ])("%s is 431", async (_what, headers) => {
    await using it = served();
    const port = it.served.port!;
    const said = await sendRaw(
      port,
      `GET /hello HTTP/1.1\r\nHost: localhost:${port}\r\n${headers}\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1.1 431 /);
    expect(it.seen.asked).toEqual([]);
  });

  test.each(["/unread", "/echo", "/hello", "/nothing"])(
    "a body that %s does not read is never taken for a request",
    async (path) => {
      await using it = served();
      const port = it.served.port!;
      const inner = `GET /who HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
      // A page's "simple" POST: the body is all that it may choose.
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: text/plain\r\nContent-Length: ${inner.length}\r\n\r\n`;
      let said = "";
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: { data: (_socket, data) => void (said += data.toString()) },
      });
      socket.write(head);
      await waitFor(() => said.includes("HTTP/1.1"));
      socket.write(inner);
      // Whatever was made of it would be answered before this.
      socket.write(
        `GET /names/last HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
      );
      await waitFor(() => said.includes('"last"'));
      socket.end();
      expect(it.seen.asked).not.toContain("GET /who");
    },
  );
});

function hideStart(text: string): string {
  return text.replaceAll("start", "***");
}

/** A POST of a body that says to be of a type, or says nothing. */
function post(body: Bun.BodyInit, type?: string) {
  return { method: "POST", body, headers: type === undefined ? {} : { "content-type": type } };
}
