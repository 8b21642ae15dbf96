/** What a request ends in when the connection breaks, or no HTTP is spoken on it. */
import { describe, expect, test } from "bun:test";

import { errorOf, fetchOf, post, rawServer } from "./fetch-kit.ts";

describe("the connection ends", () => {
  test.each([
    ["before anything was read", "open"],
    ["after the request was read", "data"],
  ])("%s: nobody knows whether it was done", async (_when, at) => {
    using server = rawServer((socket) => void socket.end());
    using closing = Bun.listen({
      port: 0,
      hostname: "127.0.0.1",
      socket: { open: (socket) => void socket.end(), data() {} },
    });
    const port = at === "open" ? closing.port : server.port;
    using fetch = fetchOf();
    const error = await errorOf(fetch(`http://127.0.0.1:${port}/mcp`, post));
    expect(error.message).toBe(
      `server "srv": 127.0.0.1:${port} closed the connection before it answered (ECONNRESET)`,
    );
    expect(error.facts).toMatchObject({ sent: true, errno: "ECONNRESET" });
  });

  test("it speaks no HTTP", async () => {
    using server = rawServer((socket) => void socket.write("220 mail ready\r\n\r\n"));
    using fetch = fetchOf();
    const error = await errorOf(fetch(server.url, post));
    expect(error.message).toBe(`server "srv": what 127.0.0.1:${server.port} answered is no HTTP`);
    expect(error.facts.sent).toBe(true);
  });

  test.each([
    ["InvalidContentLength", "200 OK\r\ncontent-length: -1\r\n\r\n"],
    ["UnrequestedUpgrade", "101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
  ])("it speaks HTTP badly: %s", async (code, rest) => {
    using server = rawServer((socket) => void socket.write(`HTTP/1.1 ${rest}`));
    using fetch = fetchOf();
    const error = await errorOf(fetch(server.url, post));
    const what = `what 127.0.0.1:${server.port} answered cannot be read as HTTP (${code})`;
    expect(error.message).toBe(`server "srv": ${what}`);
    expect(error.facts).toMatchObject({ sent: true, errno: code });
  });

  test.each([
    ["of a known length", "content-length: 9\r\n\r\nabc"],
    ["in chunks", "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"],
  ])("in a body %s: half an answer is an error", async (_how, rest) => {
    using server = rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${rest}`);
      socket.end();
    });
    using fetch = fetchOf();
    const read = async () => await (await fetch(server.url, post)).text();
    await expect(read()).rejects.toThrow();
  });

  test("half closed by the server: the answer still counts", async () => {
    using server = rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      socket.shutdown();
    });
    using fetch = fetchOf();
    expect(await (await fetch(server.url, post)).text()).toBe("ok");
  });
});
