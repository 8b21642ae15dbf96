/** What of a request the server itself refuses, before any route sees it. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { sendRaw } from "./kit.ts";
import { served } from "./served-kit.ts";

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
