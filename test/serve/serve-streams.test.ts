/** Streams and sockets of the server: how many there may be, and clients that leave. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { type Seen, testFace } from "./faces.ts";
import { serveOver } from "./kit.ts";
import { served } from "./served-kit.ts";

describe("streams and sockets", () => {
  test("events come as they are sent, comments keep the way open", async () => {
    await using it = served();
    const reader = (await it.ask("/stream")).body!.getReader();
    const decoder = new TextDecoder();
    let text = "";
    while (!text.includes("keep-alive")) text += decoder.decode((await reader.read()).value);
    expect(text).toStartWith("event: begin\ndata: one\ndata: two\n\n");
    expect(it.served.context.streams.size).toBe(1);
    await reader.cancel();
    await waitFor(() => it.served.context.streams.size === 0);
  });

  test("over the bound is 503, and one that ends makes room", async () => {
    await using it = served({ streamsMax: 2 });
    const [first, second] = await Promise.all([it.ask("/stream"), it.ask("/stream")]);
    const third = await it.ask("/stream");
    expect([third.status, third.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await third.json()).toMatchObject({ error: { code: "busy" } });
    await first.body!.cancel();
    await waitFor(() => it.served.context.streams.size === 1);
    expect((await it.ask("/stream")).status).toBe(200);
    await second.body!.cancel();
  });

  test("600 idle ones, so many that descriptors are above 1,024: none is dropped, and a server starts", async () => {
    const seen: Seen = { asked: [], signals: [] };
    await using it = serveOver({ a: {} }, { faces: [testFace(seen)] });
    await it.served.context.discovery.done;
    const { port } = it.served;
    const ended: unknown[] = [];
    const connect = async () => {
      const handlers = { data() {}, close: (socket: unknown) => void ended.push(socket) };
      const socket = await Bun.connect({ hostname: "127.0.0.1", port: port!, socket: handlers });
      socket.write(`GET /quiet HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: 600 }, connect));
    await waitFor(() => it.served.context.streams.size === 600);
    expect((await it.host.call({ tool: "a_echo", arguments: {} })).status).toBe("completed");
    expect((await it.ask("/hello")).status).toBe(200);
    expect([ended.length, it.served.context.streams.size]).toEqual([0, 600]);
    for (const socket of sockets) socket.terminate();
    await waitFor(() => it.served.context.streams.size === 0);
  });

  test("a WebSocket is guarded, counted and answered", async () => {
    await using it = served({ streamsMax: 1 });
    const socket = new WebSocket(`${it.served.url.replace("http", "ws")}/socket`);
    const said = Promise.withResolvers<string>();
    socket.addEventListener("open", () => socket.send("hi"));
    socket.addEventListener("message", ({ data }) => said.resolve(String(data)));
    expect(await said.promise).toBe("re: hi");
    expect(it.served.context.streams.size).toBe(1);
    expect((await it.ask("/stream")).status).toBe(503);
    const upgrade = {
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    };
    const evil = await it.ask("/socket", {
      headers: { ...upgrade, origin: "http://evil.example" },
    });
    expect(evil.status).toBe(403);
    socket.close();
    await waitFor(() => it.served.context.streams.size === 0);
    const plain = await it.ask("/socket");
    expect([plain.status, it.served.context.streams.size]).toEqual([426, 0]);
  });

  test("a client that leaves is told to who works for it", async () => {
    await using it = served();
    const scope = new AbortController();
    const asked = it.ask("/hang", { signal: scope.signal });
    await waitFor(() => it.seen.signals.length === 1);
    scope.abort();
    await expect(asked).rejects.toThrow();
    await waitFor(() => it.seen.signals[0]!.aborted);
    expect((await it.ask("/hello")).status).toBe(200);
  });
});
