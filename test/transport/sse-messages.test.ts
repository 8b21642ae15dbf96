/** HTTP+SSE: messages come whole from the stream, however it is cut, and from the answers to posts. */
import { describe, expect, test } from "bun:test";

import { createPeer } from "../../lib/transport/peer.ts";
import { waitFor } from "../processes.ts";
import { event, next, open, request, result, scripted } from "./sse-kit.ts";

describe("messages", () => {
  test("come with their exact text; B046: comments, pings and heartbeats are no messages", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    server.write(": ping\n\ndata:\n\nevent: ping\ndata: {}\n\nretry: x\nid: a\0b\n\n");
    server.write('data: {"type":"heartbeat"}\n\nunknown: field\n\n');
    server.write('data: {"jsonrpc":"2.0","id":1,"result":{"n":1.0}}\n\n');
    expect(await next(link.transport)).toEqual({
      message: { jsonrpc: "2.0", id: 1, result: { n: 1 } },
      text: '{"jsonrpc":"2.0","id":1,"result":{"n":1.0}}',
    });
    expect(link.logs.filter(({ level }) => level === "warn")).toEqual([]);
  });

  test("B044: one message over several data lines", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    server.write('data: {"jsonrpc":"2.0",\ndata:   "id":1,\ndata:   "result":{}}\n\n');
    expect(await next(link.transport)).toEqual({
      message: { jsonrpc: "2.0", id: 1, result: {} },
      text: '{"jsonrpc":"2.0","id":1,"result":{}}',
    });
  });

  test("characters cut anywhere, CR and CRLF as line ends", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    const bytes = new TextEncoder().encode(
      `data: ${JSON.stringify(result(1, "é€😀"))}\r\rdata: {"jsonrpc":"2.0",\r\ndata: "id":2,"result":1}\r\n\r\n`,
    );
    for (const byte of bytes) server.write(new Uint8Array([byte]));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: result(1, "é€😀") });
    expect((await next(link.transport)) as unknown).toMatchObject({ message: result(2, 1) });
  });

  test("batches are taken apart", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    server.write(event([result(1), { jsonrpc: "2.0", method: "notifications/x" }]));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 1 } });
    expect((await next(link.transport)) as unknown).toMatchObject({
      message: { method: "notifications/x" },
    });
  });

  test("what is no JSON is warned of, three times at most; a broken answer fails its request", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    for (let count = 0; count < 5; count++) server.write("data: hello there\n\n");
    server.write('data: {"jsonrpc":"2.0","id":7,"result":{"cut\n\n');
    expect((await next(link.transport)) as unknown).toMatchObject({
      oversize: { id: 7, reason: expect.stringContaining("is not valid JSON") },
    });
    expect(link.logs.filter(({ level }) => level === "warn")).toHaveLength(3);
  });

  test("a message beyond the bound fails its request, and the next comes", async () => {
    await using server = scripted();
    await using link = await open(server.url, { responseBytesMax: 1000 });
    server.write(event(result(1, "x".repeat(5000))));
    server.write(event(result(2)));
    expect((await next(link.transport)) as unknown).toMatchObject({
      oversize: { id: 1, bytesMax: 1000 },
    });
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 2 } });
  });

  test("events of other names are none of ours, whatever is in them", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    server.write(`event: other\ndata: ${JSON.stringify(result(1))}\n\n`);
    server.write(event(result(2)));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 2 } });
  });

  test("a second address is ignored", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    server.write("event: endpoint\ndata: /elsewhere\n\n");
    server.write(event(result(1)));
    await next(link.transport);
    await link.transport.send(request(2));
    await waitFor(() => server.posts.length === 1, "the post");
    expect(new URL(server.posts[0]!.url).pathname).toBe("/messages");
  });
});

test("an answer in the POST is one, too, and is taken once", async () => {
  const large = { text: "x".repeat(100_000) };
  await using server = scripted({
    post: async (asked) =>
      Response.json(result(((await asked.json()) as { id: number }).id, large)),
  });
  await using link = await open(server.url);
  await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
  for (const id of [1, 2]) {
    const { response } = await peer.request("tools/list", {}, { timeoutMs: 5000 });
    expect(response).toMatchObject({ id, result: large });
    server.write(event(result(id, { late: true })));
  }
});
