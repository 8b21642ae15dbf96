/** Answers that are large or take long, and what becomes of them when the process stops. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { answerTo, full, gatewayOver, modernInit, session, textOf, told } from "./gateway-kit.ts";
import type { ServedHost } from "./kit.ts";

/** Some call of a tool has left for its server. */
const isSent = (kit: ServedHost, tool: string) =>
  kit.logged.some(({ text }) => text === `tools/call of ${tool} is sent`);

const hang = (init: object = {}) => ({ ...modernInit("tools/call", { name: "hang" }), ...init });

test("a large result comes whole; one over the limit is an error, and the server is of use after it", async () => {
  const limits = { lineBytesMax: 30_000_000 };
  await using kit = gatewayOver({ s: full() }, { hostOptions: { limits } });
  const one = await session(kit);
  const large = await told(await one.call("big", { bytes: 20_000_000 }));
  expect(textOf(answerTo(large)).length).toBe(20_000_000);
  const over = answerTo(await told(await one.call("big", { bytes: 31_000_000 })));
  expect(over?.error?.code).toBe(-32603);
  expect(textOf(answerTo(await told(await one.call("echo", { text: "after" }))))).toBe("after");
}, 30_000);

test("an answer that takes long becomes a stream, a quick one is JSON", async () => {
  await using kit = gatewayOver({ s: full() }, { gateway: { streamAfterMs: 100 } });
  const one = await session(kit);
  // The server has started by then.
  await told(await one.call("echo", { text: "first" }));
  const quick = await one.call("echo", { text: "now" });
  expect(quick.headers.get("content-type")).toBe("application/json");
  const slow = await one.call("slow", { steps: 1, ms: 600 });
  expect(slow.headers.get("content-type")).toBe("text/event-stream");
  expect(slow.headers.get("x-accel-buffering")).toBe("no");
  expect(textOf(answerTo(await told(slow)))).toBe("done after 1 steps");
});

test("what runs when we stop is answered, and what runs for too long is told", async () => {
  const kit = gatewayOver({ s: full() }, { graceMs: 800 });
  const one = await session(kit);
  const ending = one.call("slow", { steps: 1, ms: 300 });
  const legacy = one.call("hang", {}, 2);
  const modern = kit.ask("/mcp", hang());
  await waitFor(() => isSent(kit, "slow") && isSent(kit, "hang"));
  await waitFor(
    () => kit.logged.filter(({ text }) => text === "tools/call of hang is sent").length === 2,
  );
  const stopped = kit[Symbol.asyncDispose]();
  expect(textOf(answerTo(await told(await ending)))).toBe("done after 1 steps");
  for (const [response, id] of [
    [await legacy, 2],
    [await modern, 1],
  ] as const)
    expect(answerTo(await told(response), id)?.error).toMatchObject({ code: -32603 });
  await stopped;
}, 20_000);

test("more streams than there may be are refused, and calls without one are not", async () => {
  await using kit = gatewayOver({ s: full() }, { streamsMax: 1 });
  const [one, other] = await Promise.all([session(kit), session(kit)]);
  const first = await one.ask({ headers: { accept: "text/event-stream" } });
  expect((await other.ask({ headers: { accept: "text/event-stream" } })).status).toBe(503);
  expect(textOf(answerTo(await told(await other.call("echo", { text: "still" }))))).toBe("still");
  await first.body?.cancel();
  await waitFor(async () => {
    const again = await other.ask({ headers: { accept: "text/event-stream" } });
    await again.body?.cancel();
    return again.status === 200;
  });
});
