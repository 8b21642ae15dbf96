/**
 * Every route that there is, from outside: none of them answers a page, another name of this machine, or a stranger, and
 * none starts anything for one.
 */
import { describe, expect, test } from "bun:test";

import { faces } from "../../lib/serve/faces.ts";
import { testFace } from "./faces.ts";
import { full } from "./gateway-kit.ts";
import { sendRaw, serveOver } from "./kit.ts";
import type { KitOptions } from "./kit.ts";

const json = '{"tool":"a_echo","params":{"text":"x"}}';

/** A server that is not started by itself, all that is served, and each way to ask for it. */
function opened(options: KitOptions = {}) {
  const routes: { method: string; path: string; open?: boolean }[] = [];
  const seen = faces.map((face) => (context: Parameters<typeof face>[0]) => {
    const made = face(context);
    routes.push(...made);
    return made;
  });
  const kit = serveOver({ a: full() }, { ...options, faces: seen });
  const asked = [{ method: "GET", path: "/" }, ...routes].map(({ method, path, ...route }) => ({
    ...route,
    method,
    path: path.replace(":server", "a").replace(/:\w+/, "a_echo"),
  }));
  return { kit, asked, [Symbol.asyncDispose]: () => kit[Symbol.asyncDispose]() };
}

test("all routes are here", async () => {
  await using it = opened();
  const paths = new Set(it.asked.map(({ path }) => path));
  for (const path of ["/tools", "/tools/a_echo", "/mcp", "/mcp/a", "/sse", "/messages", "/ws/a"])
    expect(paths).toContain(path);
  expect(paths.size).toBeGreaterThan(15);
});

describe.each([
  ["a name of another", "Host: evil.example", 403],
  ["a name that ends in ours", "Host: localhost.evil.example", 403],
  ["a page of another", "Host: localhost:PORT\r\nOrigin: http://evil.example", 403],
  ["a page of another port", "Host: localhost:PORT\r\nOrigin: http://localhost:1", 403],
  ["a page of no origin", "Host: localhost:PORT\r\nOrigin: null", 403],
  ["two names", "Host: localhost:PORT\r\nHost: evil.example", 403],
  ["no name", "X: y", 400],
] as const)("%s", (_who, headers, status) => {
  test("is answered by no route, in whatever form it asks", async () => {
    await using it = opened();
    const { served, logged } = it.kit;
    await served.context.discovery.done;
    const port = served.port!;
    const lines = headers.replaceAll("PORT", String(port));
    const upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    const before = logged.length;
    const answers = await Promise.all(
      it.asked.flatMap(({ method, path }) =>
        ["", ...(path.startsWith("/ws") ? [upgrade] : [])].map(async (more) => {
          const head = `${method} ${path} HTTP/1.1\r\n${lines}\r\n${more}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`;
          const body = method === "POST" ? `Content-Length: ${json.length}\r\n\r\n${json}` : "\r\n";
          const said = await sendRaw(port, `${head}Connection: close\r\n${body}`, 3000);
          return `${method} ${path}: ${said.slice(9, 12)}`;
        }),
      ),
    );
    expect(answers.filter((answer) => !answer.endsWith(`: ${status}`))).toEqual([]);
    expect(logged.slice(before).filter(({ text }) => text.includes("is sent"))).toEqual([]);
  });
});

test("a stranger gets nothing but what is open, where there are tokens", async () => {
  await using it = opened({ tokens: [{ name: "me", token: "secret" }] });
  for (const { method, path, open = false } of it.asked) {
    const body = method === "POST" ? { body: json } : {};
    const headers = { "content-type": "application/json" };
    for (const authorization of [undefined, "Bearer wrong", "Basic c2VjcmV0", "Bearer "]) {
      const answer = await it.kit.ask(path, {
        method,
        ...body,
        headers: { ...headers, ...(authorization !== undefined && { authorization }) },
      });
      await answer.body?.cancel();
      // A wrong token is no stranger: it is refused, on what is open, too.
      const expected = open && authorization === undefined ? [200] : open ? [200, 401] : [401];
      expect({ method, path, authorization, ok: expected.includes(answer.status) }).toEqual({
        method,
        path,
        authorization,
        ok: true,
      });
    }
  }
});

test.each(["/tools", "/tools/a_echo", "/mcp", "/mcp/a"])(
  "half a body and a slow one at %s: told or let go, and nobody else waits",
  async (path) => {
    await using kit = serveOver({ a: full() }, { bodyMs: 200 });
    const port = kit.served.port!;
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 1000\r\n\r\n{"to`;
    const halves = Array.from({ length: 20 }, () => sendRaw(port, head, 20));
    const slow = sendRaw(port, head, 5000);
    expect((await kit.ask("/health")).status).toBe(200);
    await Promise.all(halves);
    expect(await slow).toMatch(/^HTTP\/1.1 408 /);
  },
);

/** Bodies of two bytes that two programs could take for bodies of different lengths. */
const framings = {
  "two codings":
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  "a quoted coding": 'Transfer-Encoding: "chunked"\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  "a coding behind a control": "Transfer-Encoding: \x0bchunked\r\nContent-Length: 2\r\n\r\n{}",
  "a coding behind a tab": "Transfer-Encoding:\tchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  "a coding in capitals": "Transfer-Encoding: CHUNKED\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  "a packed body": "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  "a chunk with an extension": "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\n",
  "a chunk's line broken by LF": "Transfer-Encoding: chunked\r\n\r\n2;a\nb\r\n{}\r\n0\r\n\r\n",
  "chunks that end in LF": "Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n",
  "a chunk of 0x2": "Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
  "a chunk of +2": "Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n",
  "a chunk beyond 64 bits":
    "Transfer-Encoding: chunked\r\n\r\n10000000000000002\r\n{}\r\n0\r\n\r\n",
  "a chunk without its end": "Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n",
  "a trailer with a length":
    "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nContent-Length: 9\r\n\r\n",
  "a length of 0x2": "Content-Length: 0x2\r\n\r\n{}",
  "a list of lengths": "Content-Length: 2, 2\r\n\r\n{}",
  "an empty length": "Content-Length: \r\n\r\n{}",
  "a length beyond 64 bits": "Content-Length: 18446744073709551618\r\n\r\n{}",
  "the same length twice": "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
  "another length behind a CR": "X: a\rContent-Length: 9\r\nContent-Length: 2\r\n\r\n{}",
  "a NUL in a header": "X: a\0b\r\nContent-Length: 2\r\n\r\n{}",
  "a line without a colon": "X\r\nContent-Length: 2\r\n\r\n{}",
  "an underscore for a hyphen": "Content_Length: 9\r\nContent-Length: 2\r\n\r\n{}",
};

test.each(Object.entries(framings))(
  "%s: what stands behind the body is a request of its own, or none",
  async (_what, rest) => {
    const seen = { asked: [] as string[], signals: [] };
    await using kit = serveOver({}, { faces: [testFace(seen)] });
    const port = kit.served.port!;
    const host = `Host: localhost:${port}\r\n`;
    const next = `GET /names/next HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
    const head = `POST /echo HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;
    const said = await sendRaw(port, head + rest + next, 500);
    const statuses = Array.from(said.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
    if (seen.asked.includes("GET /names/next")) {
      expect(statuses).toEqual(["200", "200"]);
      expect(said).toContain('{"got":{}}');
    } else expect(statuses.at(-1)).toBe("400");
  },
);
