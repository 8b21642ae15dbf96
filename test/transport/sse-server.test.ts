/** HTTP+SSE with a whole server: calls beside each other, questions of the server, and a cut between. */
import { expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { open } from "./sse-kit.ts";

const noRoots = async () => ({ roots: [] });

test("a whole server: calls beside each other, requests of its own, a cut between", async () => {
  await using server = await serveRemote({ transport: "sse" });
  await using link = await open(server.url);
  await using peer = createPeer(link.transport, { name: "srv", log: () => {}, onRequest: noRoots });
  const ask = async (method: string, params: JsonObject) =>
    (await peer.request(method, params, { timeoutMs: 10_000 })).response.result as unknown;
  const capabilities = { roots: {} };
  await ask("initialize", { protocolVersion: "2024-11-05", capabilities });
  await peer.notify("notifications/initialized");
  const sums = Array.from({ length: 100 }, (_, a) =>
    ask("tools/call", { name: "add", arguments: { a, b: 1 } }),
  );
  const texts = (await Promise.all(sums)).map(
    (sum) => (sum as { content: { text: string }[] }).content[0]!.text,
  );
  expect(texts).toEqual(Array.from({ length: 100 }, (_, a) => String(a + 1)));
  const roots = await ask("tools/call", { name: "roots", arguments: {} });
  expect(roots as unknown).toMatchObject({ content: [{ text: '{"roots":[]}' }] });
  server.cutStreams();
  expect(await link.transport.closed).toMatchObject({ kind: "eof" });
});
