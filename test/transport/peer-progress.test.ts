/** One JSON-RPC link: progress that fits nothing, or whose handler throws, does no harm. */
import { describe, expect, test } from "bun:test";

import { farSide, minute } from "./peers.ts";

describe("progress", () => {
  test("that fits nothing is ignored, with a debug entry, and never fatal", async () => {
    await using far = farSide({
      script: ({ method }) => (method === "b" ? { result: {} } : undefined),
    });
    const seen: unknown[] = [];
    const answer = far.peer.request("a", (id) => ({ id }), {
      ...minute,
      onProgress: (progress) => seen.push(progress),
    });
    const bad = [
      { progressToken: 99, progress: 1 },
      { progressToken: null, progress: 1 },
      { progressToken: "tool-call-3", progress: 1 },
      { progressToken: 1, progress: "1" },
      { progressToken: 1, progress: 5, total: 10, message: "m" },
      { progressToken: 1, progress: 4 },
      { progress: 1 },
    ];
    for (const params of bad) await far.say({ method: "notifications/progress", params });
    await far.say({ method: "notifications/progress" });
    await far.settled();
    expect(seen).toEqual([{ progress: 5, total: 10, message: "m" }]);
    expect(far.logs.filter(({ text }) => text.startsWith("progress ignored"))).toHaveLength(7);
    await far.peer.request("b", {}, minute);
    await far.say({ id: 1, result: {} });
    await answer;
    await far.say({
      method: "notifications/progress",
      params: { progressToken: 1, progress: 100 },
    });
    await far.settled();
  });

  test("whose handler throws does no harm", async () => {
    await using far = farSide();
    const answer = far.peer.request("a", (id) => ({ id }), {
      ...minute,
      onProgress: () => {
        throw new Error("mine");
      },
    });
    await far.say({ method: "notifications/progress", params: { progressToken: 1, progress: 1 } });
    await far.say({ id: 1, result: {} });
    await answer;
    expect(await far.logged("mine")).toMatchObject({ level: "debug" });
  });
});
