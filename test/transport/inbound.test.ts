/** The other direction of a link: what the far side asks and tells. */
import { describe, expect, test } from "bun:test";

import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { waitFor } from "../processes.ts";
import { farSide, minute } from "./peers.ts";
import type { FarSide } from "./peers.ts";

const reply = (far: FarSide, id: number | string) =>
  far.until((message) => !("method" in message) && message.id === id);

test("requests are answered beside our own, and the same id in both directions is kept apart", async () => {
  await using far = farSide({
    onRequest: async (method, params) => ({ method, ...params }),
    script: () => undefined,
  });
  const ours = far.peer.request("tools/call", {}, minute);
  await far.say({ id: 1, method: "roots/list", params: { a: 1 } });
  expect(await reply(far, 1)).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: { method: "roots/list", a: 1 },
  });
  await far.say({ id: "1", method: "ping" });
  expect(await reply(far, "1")).toMatchObject({ id: "1", result: { method: "ping" } });
  await far.say({ id: 1, result: { ours: true } });
  expect((await ours).response.result).toEqual({ ours: true });
});

test("an id with more digits than a double holds comes back as it was written", async () => {
  const sent: string[] = [];
  await using far = farSide({
    onRequest: async () => ({}),
    send: async (message) => void sent.push(JSON.stringify(message)),
  });
  await far.say({ id: JSON.rawJSON("1764489600000000001"), method: "ping" });
  await waitFor(() => sent.length > 0);
  expect(sent).toEqual([`{"jsonrpc":"2.0","id":1764489600000000001,"result":{}}`]);
});

describe("refusals", () => {
  test("nobody handles requests: -32601", async () => {
    await using far = farSide();
    await far.say({ id: 0, method: "sampling/createMessage" });
    expect(await reply(far, 0)).toMatchObject({ error: { code: -32_601 } });
  });

  test("what the handler throws: an RpcError as it is, anything else as its message alone", async () => {
    await using far = farSide({
      onRequest: async (method) => {
        if (method === "rpc") throw new RpcError({ code: -1, message: "rejected", data: { a: 1 } });
        throw method === "text" ? "only text" : new Error("inside");
      },
    });
    for (const [id, method] of ["rpc", "error", "text"].entries()) await far.say({ id, method });
    expect(await reply(far, 0)).toEqual({
      jsonrpc: "2.0",
      id: 0,
      error: { code: -1, message: "rejected", data: { a: 1 } },
    });
    expect(await reply(far, 1)).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32_603, message: "inside" },
    });
    expect(await reply(far, 2)).toMatchObject({ error: { code: -32_603, message: "only text" } });
  });

  test("one more than 100 at once: busy", async () => {
    const gate = Promise.withResolvers<object>();
    await using far = farSide({ onRequest: async () => (await gate.promise) as never });
    for (let id = 1; id <= 101; id++) await far.say({ id, method: "m" });
    expect(await reply(far, 101)).toMatchObject({ error: { code: -32_603 } });
    gate.resolve({});
    expect(await reply(far, 100)).toMatchObject({ result: {} });
    await far.say({ id: 102, method: "m" });
    expect(await reply(far, 102)).toMatchObject({ result: {} });
  });

  test("an id that is in use", async () => {
    const gate = Promise.withResolvers<object>();
    await using far = farSide({ onRequest: async () => (await gate.promise) as never });
    await far.say({ id: 5, method: "m" });
    await far.say({ id: 5, method: "m" });
    expect(await reply(far, 5)).toMatchObject({ error: { code: -32_603 } });
    gate.resolve({});
  });
});

test("a request that the far side cancels gets no answer, and its signal fires", async () => {
  const aborted = Promise.withResolvers<void>();
  await using far = farSide({
    onRequest: (method, _, signal) => {
      if (method === "quick") return Promise.resolve({});
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          resolve({});
          aborted.resolve();
        }),
      );
    },
  });
  await far.say({ id: 8, method: "slow" });
  await far.say({ method: "notifications/cancelled", params: { requestId: 8 } });
  await aborted.promise;
  await far.say({ id: 9, method: "quick" });
  await reply(far, 9);
  expect(far.got).toHaveLength(1);
});

test("cancellations of nothing are ignored", async () => {
  await using far = farSide();
  for (const params of [{ requestId: 77 }, { requestId: null }, {}, { requestId: { a: 1 } }])
    await far.say({ method: "notifications/cancelled", params });
  await far.settled();
  expect(far.logs.filter(({ text }) => text.startsWith("cancelled ignored"))).toHaveLength(4);
});

test("the end of the link fires the signals of what is running", async () => {
  const aborted = Promise.withResolvers<unknown>();
  const started = Promise.withResolvers<void>();
  await using far = farSide({
    onRequest: (_method, _params, signal) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason));
      started.resolve();
      return new Promise(() => {});
    },
  });
  await far.say({ id: 1, method: "slow" });
  await started.promise;
  await far.end();
  expect(await aborted.promise).toBeInstanceOf(Error);
});

test("notifications are told in order, before and after an answer; what the handler throws does no harm", async () => {
  const told: string[] = [];
  await using far = farSide({
    onNotification: (method, params) => {
      told.push(`${method} ${JSON.stringify(params)}`);
      if (told.length === 1) throw new Error("mine");
    },
  });
  const answer = far.peer.request("initialize", {}, minute);
  await far.say({ method: "notifications/tools/list_changed" });
  await far.say({ method: "notifications/message", params: { level: "info" } });
  await far.say({ id: 1, result: {} });
  await far.say({ method: "made/up" });
  await answer;
  await far.settled();
  expect(told).toEqual([
    "notifications/tools/list_changed {}",
    'notifications/message {"level":"info"}',
    "made/up {}",
  ]);
});
