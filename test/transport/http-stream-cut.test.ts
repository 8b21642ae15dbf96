/** Streamable HTTP: a stream that ends without the answer fails its request at once. */
import { describe, expect, test } from "bun:test";

import { event, failure, modern, open, soon } from "../fixtures/http/kit.ts";
import { serveRaw } from "../fixtures/http/raw.ts";
import { ask, progress, reply } from "./http-kit.ts";

describe("B043: a stream that ends without the answer fails its request at once", () => {
  test.each<[string, string]>([
    ["nothing but headers", ":\n\n"],
    ["progress, then the end", event(progress(1))],
    ["an event that was cut", `data: ${JSON.stringify(reply()).slice(0, -1)}\n`],
    ["an id, but modern", "id: 1\nretry: 1\ndata:\n\n"],
  ])("%s", async (_name, text) => {
    const { error, gets } = await ask(text);
    expect(error).toMatchObject({
      code: "server_exit",
      message: 'server "srv" ended its stream without an answer to first',
      facts: { server: "srv", method: "first", httpStatus: 200, sent: true },
    });
    expect(gets).toBe(0);
  });

  test("what it said in an event of another name is told", async () => {
    const { error } = await ask('event: error\ndata: {"message":"boom"}\n\n');
    expect(error).toMatchObject({
      code: "server_exit",
      message:
        'server "srv" ended its stream without an answer to first (it sent an event "error": {"message":"boom"})',
    });
  });

  test("the socket is destroyed in the middle of an event", async () => {
    const head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    await using server = serveRaw((socket) => {
      socket.write(`${head}a\r\ndata: {"js\r\n`);
      setTimeout(() => socket.terminate(), 10);
    });
    await using link = open(server.url);
    expect(await failure(link.peer.request("a", modern(), soon))).toMatchObject({
      code: "server_exit",
      message: 'server "srv" lost its stream without an answer to a',
      facts: { sent: true },
    });
  });

  test("and says under which id it answered instead", async () => {
    const { error } = await ask(event(reply(77)));
    expect(error).toMatchObject({ code: "server_exit", facts: { stray: "77" } });
  });
});
