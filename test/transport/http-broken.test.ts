/** Streamable HTTP: connections that break, are slow, or lead to a server that was started again. */
import { describe, expect, test } from "bun:test";

import { answer, failure, modern, open, serve, soon } from "../fixtures/http/kit.ts";
import { serveRaw } from "../fixtures/http/raw.ts";
import { result } from "./http-answers-kit.ts";

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

  test.each(["gzip", "deflate", "br", "zstd"])(
    "a body that is said to be %s and is not is told as that",
    async (encoding) => {
      const { length } = result(1);
      await using server = serveRaw(
        (socket) =>
          void socket.write(
            `${head}Content-Encoding: ${encoding}\r\nContent-Length: ${length}\r\n\r\n${result(1)}`,
          ),
      );
      await using link = open(server.url);
      const error = await failure(link.peer.request("a", {}, soon));
      expect(error).toMatchObject({ code: "server_exit", facts: { sent: true, method: "a" } });
      expect(error.message).toMatch(/^what server "srv" answered to a cannot be unpacked \(\w+\)$/);
      expect(error.hint).toContain("Content-Encoding");
    },
  );

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
