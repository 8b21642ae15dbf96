/** Two transports that face each other, and one that is watched. */
import { expect, test } from "bun:test";

import type { Message } from "../../lib/protocol/jsonrpc.ts";
import { memoryPair } from "../../lib/transport/memory.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import { tee } from "../../lib/transport/tee.ts";
import type { Frame } from "../../lib/transport/tee.ts";

const log = () => {};
const echo = async (method: string) => ({ method });

test("what one sends the other receives, and nothing is shared", async () => {
  const [one, two] = memoryPair();
  const message: Message = { jsonrpc: "2.0", method: "m", params: { a: { b: 1 } } };
  await one.send(message);
  await one[Symbol.asyncDispose]();
  const [item] = await Array.fromAsync(two.incoming);
  expect(item).toEqual({ message, text: JSON.stringify(message) });
  expect((item as { message: Message }).message).not.toBe(message);
  expect([await one.closed, await two.closed]).toEqual([{ kind: "local" }, { kind: "eof" }]);
  await expect(two.send(message)).rejects.toMatchObject({ code: "server_exit" });
});

test("two peers talk both ways at once", async () => {
  const [near, far] = memoryPair();
  await using one = createPeer(near, { name: "one", log, onRequest: echo });
  await using two = createPeer(far, { name: "two", log, onRequest: echo });
  const ask = (peer: typeof one, method: string) => peer.request(method, {}, { timeoutMs: 1000 });
  const answers = await Promise.all([ask(one, "a"), ask(two, "b"), ask(one, "c")]);
  expect(answers.map(({ response }) => response.result)).toEqual([
    { method: "a" },
    { method: "b" },
    { method: "c" },
  ]);
});

test("a tee shows every frame in order and changes none, even if its watcher throws", async () => {
  const [near, far] = memoryPair();
  const frames: Frame[] = [];
  const watched = tee(near, (frame) => {
    frames.push(frame);
    throw new Error("mine");
  });
  await using server = createPeer(far, {
    name: "server",
    log,
    onRequest: async () => ({ ok: true }),
  });
  await using client = createPeer(watched, { name: "client", log });
  const { response, text } = await client.request("a", { x: 1 }, { timeoutMs: 1000 });
  await server.notify("n");
  await server.request("ping", {}, { timeoutMs: 1000 }).catch(() => {});
  expect(response.result).toEqual({ ok: true });
  expect(
    frames.map((frame) => [
      frame.direction,
      frame.direction === "out" ? frame.message : frame.item,
    ]),
  ).toMatchObject([
    ["out", { id: 1, method: "a", params: { x: 1 } }],
    ["in", { message: response, text }],
    ["in", { message: { method: "n" } }],
    ["in", { message: { id: 1, method: "ping" } }],
    ["out", { id: 1, error: { code: -32_601 } }],
  ]);
  expect(watched.facts()).toEqual({});
});
