/** The other direction of a link: many questions, and answers that are not read, are bounded. */
import { expect, test } from "bun:test";

import type { Message } from "../../lib/protocol/jsonrpc.ts";
import { waitFor } from "../processes.ts";
import { farSide, minute } from "./peers.ts";

test("of many answers a few are on their way at once, and the others follow", async () => {
  const gate = Promise.withResolvers<void>();
  let sent = 0;
  await using far = farSide({
    onRequest: async () => ({}),
    send: async () => {
      sent += 1;
      await gate.promise;
    },
  });
  for (let id = 1; id <= 90; id++) await far.say({ id, method: "ping" });
  await waitFor(() => sent > 0);
  expect(sent).toBeLessThan(30);
  gate.resolve();
  await waitFor(() => sent === 90);
});

test("answers that are not read are bounded: further requests are dropped, our own are sent", async () => {
  const gate = Promise.withResolvers<void>();
  const sent: Message[] = [];
  await using far = farSide({
    onRequest: async () => ({}),
    send: async (message) => {
      sent.push(message);
      if (!("method" in message)) await gate.promise;
    },
  });
  const answered = () => sent.filter((message) => !("method" in message)).length;
  for (let n = 0; n < 300; n += 1) await far.say({ id: `${n}`.padEnd(10_000), method: "ping" });
  await far.say({ method: "x" });
  await far.logged("does not read our answers");
  const controller = new AbortController();
  const ours = far.peer.request("tools/call", {}, { ...minute, signal: controller.signal });
  expect(sent.at(-1)).toMatchObject({ method: "tools/call" });
  controller.abort();
  await expect(ours).rejects.toMatchObject({ code: "cancelled" });
  gate.resolve();
  expect((await far.logged("were not answered")).text).toMatch(/^19\d of its requests/);
  await waitFor(() => answered() >= 104);
  expect(answered()).toBeLessThan(110);
  await far.say({ id: "again", method: "ping" });
  await waitFor(() => sent.some((message) => "id" in message && message.id === "again"));
  expect(far.logs.filter(({ level }) => level === "warn")).toHaveLength(1);
});
