/** Long times on one link, simulated: the clocks of the runtime itself are moved. */
import { afterEach, beforeEach, expect, jest, test } from "bun:test";

import type { Message } from "../../lib/protocol/jsonrpc.ts";
import { memoryPair } from "../../lib/transport/memory.ts";
import { createPeer } from "../../lib/transport/peer.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Lets everything that was sent arrive. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

function link() {
  const [near, far] = memoryPair();
  const got: Message[] = [];
  void (async () => {
    for await (const item of far.incoming) if ("message" in item) got.push(item.message);
  })();
  const heard: string[] = [];
  const peer = createPeer(near, {
    name: "srv",
    log: () => {},
    onNotification: (method) => heard.push(method),
  });
  const say = async (message: object) => {
    await far.send({ jsonrpc: "2.0", ...message } as Message);
    await settled();
  };
  return { peer, got, heard, say };
}

test("an hour of progress keeps a call alive that may be silent for a minute", async () => {
  const { peer, got, say } = link();
  await using _ = peer;
  let steps = 0;
  let outcome: unknown;
  const asked = peer
    .request("tools/call", (progressToken) => ({ _meta: { progressToken } }), {
      timeoutMs: 60_000,
      timeoutMaxMs: 2 * 3_600_000,
      onProgress: () => steps++,
    })
    .then(
      (answer) => (outcome = answer),
      (error: unknown) => (outcome = error),
    );
  await settled();
  for (let second = 30; second <= 3600; second += 30) {
    jest.advanceTimersByTime(30_000);
    await say({
      method: "notifications/progress",
      params: { progressToken: 1, progress: second, total: 3600 },
    });
    expect(outcome).toBeUndefined();
  }
  await say({ id: 1, result: { content: [] } });
  await asked;
  expect(steps).toBe(120);
  expect(outcome).toMatchObject({ response: { result: { content: [] } } });
  expect(got).toHaveLength(1);
});

test("the same call without progress is given up after the minute", async () => {
  const { peer, got } = link();
  await using _ = peer;
  const asked = peer.request("tools/call", {}, { timeoutMs: 60_000 }).catch((error) => error);
  await settled();
  jest.advanceTimersByTime(59_000);
  await settled();
  expect(got).toHaveLength(1);
  jest.advanceTimersByTime(2000);
  expect(await asked).toMatchObject({ code: "timeout" });
});

test("a subscription is quiet for days, and its request is still there", async () => {
  const { peer, got, heard, say } = link();
  await using _ = peer;
  const asked = peer.request("subscriptions/listen", {}, { timeoutMs: Number.POSITIVE_INFINITY });
  await settled();
  // Another request with a time of its own comes and goes beside it.
  const other = peer.request("tools/call", {}, { timeoutMs: 600_000 }).catch((error) => error);
  await settled();
  for (let day = 0; day < 30; day++) jest.advanceTimersByTime(24 * 3_600_000);
  expect(await other).toMatchObject({ code: "timeout" });
  await say({ method: "notifications/tools/list_changed" });
  expect(heard).toEqual(["notifications/tools/list_changed"]);
  await say({ id: 1, result: {} });
  expect((await asked).response.result).toEqual({});
  const methods = got.flatMap((one) => ("method" in one ? one.method : []));
  expect(methods).toEqual(["subscriptions/listen", "tools/call", "notifications/cancelled"]);
});

test("a cancellation of a request of ours is told on: a modern server ends a subscription so", async () => {
  const { peer, heard, say } = link();
  await using _ = peer;
  await say({ method: "notifications/cancelled", params: { requestId: 1 } });
  expect(heard).toEqual(["notifications/cancelled"]);
});
