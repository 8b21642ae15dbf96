/** One JSON-RPC link: a signal cancels what still waits, with its reason, and nothing else. */
import { describe, expect, test } from "bun:test";

import { failure, farSide, minute } from "./peers.ts";

describe("a signal", () => {
  test("that fires cancels, with its reason as the cause", async () => {
    await using far = farSide();
    const abort = new AbortController();
    const answer = failure(far.peer.request("a", {}, { ...minute, signal: abort.signal }));
    await far.until((message) => "method" in message);
    abort.abort(new Error("why"));
    const error = await answer;
    expect(error).toMatchObject({ code: "cancelled", facts: { sent: true } });
    expect((error.cause as Error).message).toBe("why");
    await far.until(
      (message) => "method" in message && message.method === "notifications/cancelled",
    );
  });

  test("that several requests share cancels those that still wait, each once", async () => {
    await using far = farSide();
    const abort = new AbortController();
    const ask = (method: string) =>
      far.peer.request(method, {}, { ...minute, signal: abort.signal });
    const [answered, ...waiting] = [ask("a"), ask("b"), ask("c")];
    await far.say({ id: 1, result: {} });
    await answered;
    abort.abort();
    for (const answer of waiting) expect((await failure(answer)).code).toBe("cancelled");
    await far.settled();
    const cancelled = far.got.filter(
      (message) => "method" in message && message.method === "notifications/cancelled",
    );
    expect(cancelled).toMatchObject([{ params: { requestId: 2 } }, { params: { requestId: 3 } }]);
  });

  test("that fired before sends nothing", async () => {
    await using far = farSide();
    const error = await failure(
      far.peer.request("a", {}, { ...minute, signal: AbortSignal.abort() }),
    );
    expect(error).toMatchObject({ code: "cancelled", facts: { sent: false } });
    await far.settled();
    expect(far.got.filter((message) => "method" in message)).toEqual([]);
  });

  test("that fires after the answer does nothing", async () => {
    await using far = farSide({ script: () => ({ result: {} }) });
    const abort = new AbortController();
    await far.peer.request("a", {}, { ...minute, signal: abort.signal });
    abort.abort();
    await far.settled();
    expect(far.got.filter((message) => "method" in message)).toHaveLength(1);
  });
});
