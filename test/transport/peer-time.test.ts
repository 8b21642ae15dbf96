/** One JSON-RPC link: the time of a request runs out, is renewed, or stands still. */
import { describe, expect, test } from "bun:test";

import { failure, farSide, minute } from "./peers.ts";

describe("time", () => {
  test("runs out: cancelled is sent, the late answer goes to nobody", async () => {
    await using far = farSide({
      facts: { noise: { count: 4, first: ["x"], contentLength: true } },
    });
    const error = await failure(far.peer.request("tools/call", {}, { timeoutMs: 30 }));
    expect(error).toMatchObject({
      code: "timeout",
      facts: {
        server: "srv",
        method: "tools/call",
        timeoutMs: 30,
        sent: true,
        noise: { count: 4 },
      },
    });
    expect(error.message).toBe(
      'server "srv" did not answer tools/call within 30 ms (wrote Content-Length headers: not MCP framing; 4 lines on its stdout were no MCP message)',
    );
    expect(error.hint).toBeString();
    const cancelled = await far.until((message) => "method" in message && !("id" in message));
    expect(cancelled).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: 1 },
    });
    const next = far.peer.request("tools/call", {}, minute);
    await far.say({ id: 1, error: { code: 0, message: "Request cancelled" } });
    await far.say({ id: 2, result: { mine: true } });
    expect((await next).response.result).toEqual({ mine: true });
  });

  test("is renewed by progress, whose token may come back as a string", async () => {
    await using far = farSide();
    const seen: number[] = [];
    const answer = far.peer.request("a", (id) => ({ id }), {
      timeoutMs: 150,
      onProgress: ({ progress }) => seen.push(progress),
    });
    for (let step = 1; step <= 6; step++) {
      await Bun.sleep(50);
      await far.say({
        method: "notifications/progress",
        params: { progressToken: step % 2 ? 1 : "1", progress: step },
      });
    }
    await far.say({ id: 1, result: {} });
    await answer;
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("ends at the hard cap in spite of progress", async () => {
    await using far = farSide();
    const answer = failure(
      far.peer.request("a", (id) => ({ id }), { timeoutMs: 100, timeoutMaxMs: 250 }),
    );
    const beat = setInterval(
      () =>
        void far.say({
          method: "notifications/progress",
          params: { progressToken: 1, progress: 1 },
        }),
      20,
    );
    const error = await answer;
    clearInterval(beat);
    expect(error).toMatchObject({
      code: "timeout",
      facts: { timeoutMs: 250, option: "timeoutMs" },
      hint: expect.stringContaining("a longer timeoutMs waits longer"),
    });
  });

  test("stands still, hard cap and all, while we answer the far side", async () => {
    const person = Promise.withResolvers<object>();
    await using far = farSide({ onRequest: async () => (await person.promise) as never });
    const call = far.peer.request("a", {}, { timeoutMs: 60, timeoutMaxMs: 60 });
    for (const id of ["q1", "q2"]) await far.say({ id, method: "elicitation/create" });
    await far.say({ method: "notifications/cancelled", params: { requestId: "q2" } });
    await Bun.sleep(150);
    const during = far.peer.request("b", {}, { timeoutMs: 60 });
    await Bun.sleep(150);
    person.resolve({ action: "accept" });
    await far.until((message) => "id" in message && message.id === "q1");
    for (const id of [1, 2]) await far.say({ id, result: {} });
    await Promise.all([call, during]);
    const silent = await failure(far.peer.request("c", {}, { timeoutMs: 60, timeoutMaxMs: 60 }));
    expect(silent).toMatchObject({ code: "timeout", hint: expect.stringContaining("timeoutMs") });
  });

  test("runs on behind an answer that the far side makes nothing of", async () => {
    await using far = farSide({ onRequest: async () => (await Bun.sleep(100), {}) });
    const call = failure(far.peer.request("a", {}, { timeoutMs: 50 }));
    await far.say({ id: "q", method: "roots/list" });
    const started = performance.now();
    expect((await call).code).toBe("timeout");
    expect(performance.now() - started).toBeGreaterThan(100);
  });

  test("may be longer than a timer can be", async () => {
    await using far = farSide({ script: () => ({ result: {} }) });
    await far.peer.request("a", {}, { timeoutMs: Number.MAX_SAFE_INTEGER });
    await far.peer.request("a", {}, { timeoutMs: Number.POSITIVE_INFINITY });
  });

  test("without cancellation where it must not be sent", async () => {
    await using far = farSide();
    const error = await failure(
      far.peer.request("initialize", {}, { timeoutMs: 10, cancellable: false }),
    );
    expect(error.code).toBe("timeout");
    await far.settled();
    expect(far.got.filter((message) => "method" in message)).toHaveLength(1);
  });
});
