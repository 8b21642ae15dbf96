/** One JSON-RPC link: answers under ids that were changed, made up or left out. */
import { describe, expect, test } from "bun:test";

import { failure, farSide, minute } from "./peers.ts";

describe("ids that come back changed", () => {
  test("a decimal string is its number, with a debug entry", async () => {
    await using far = farSide();
    const answer = far.peer.request("a", {}, minute);
    await far.say({ id: "1", result: {} });
    await answer;
    expect(await far.logged("as a string")).toMatchObject({ level: "debug", server: "srv" });
  });

  test.each([[0], ["01"], [2 ** 53], [1.5], [-1], ["x"], [2], ["1.0"], ["99"]])(
    "%j was never sent: a warning at once, and the one that waits waits no longer than 2 s",
    async (id) => {
      await using far = farSide();
      const answer = failure(far.peer.request("tools/call", {}, { timeoutMs: 60_000 }));
      await far.say({ id, result: { wrong: true } });
      const entry = await far.logged("which was never sent");
      expect(entry).toMatchObject({ level: "warn" });
      expect(entry.text).toContain(JSON.stringify(id));
      if (id !== 0) return;
      const error = await answer;
      expect(error).toMatchObject({ code: "timeout", facts: { stray: "0", sent: true } });
      expect(error.message).toBe(
        'server "srv" did not answer tools/call under its id (answered under id 0, which was never sent)',
      );
    },
  );

  test("a link that never answered right is given up, however many wait", async () => {
    await using far = farSide();
    const both = ["server/discover", "initialize"].map((method) =>
      failure(far.peer.request(method, {}, minute)),
    );
    await far.say({ id: 0, result: {} });
    for (const error of await Promise.all(both))
      expect(error).toMatchObject({ code: "timeout", facts: { stray: "0" } });
  });

  test("while several wait, none is hurried or given the answer", async () => {
    await using far = farSide({
      script: ({ method }) => (method === "first" ? { result: {} } : undefined),
    });
    await far.peer.request("first", {}, minute);
    const both = [far.peer.request("a", {}, minute), far.peer.request("b", {}, minute)];
    await far.say({ id: 0, result: { wrong: true } });
    await far.say({ id: 2, result: { n: 1 } });
    await far.say({ id: 3, result: { n: 2 } });
    const results = await Promise.all(both);
    expect(results.map(({ response }) => response.result)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test("a second answer is dropped, and the next request gets its own", async () => {
    await using far = farSide();
    const first = far.peer.request("a", {}, minute);
    await far.say({ id: 1, result: { n: 1 } });
    await first;
    const second = far.peer.request("b", {}, minute);
    await far.say({ id: 1, result: { n: 1 } });
    await far.say({ id: 2, result: { n: 2 } });
    expect((await second).response.result).toEqual({ n: 2 });
    expect(await far.logged("late or repeated")).toMatchObject({ level: "debug" });
  });
});

describe("an error without an id", () => {
  const error = { code: -32_700, message: "Parse error" };

  test("fails the only request that waits", async () => {
    await using far = farSide();
    const answer = failure(far.peer.request("a", {}, minute));
    await far.say({ id: null, error });
    expect((await answer).message).toBe("Parse error");
    expect(await far.logged("an error without an id")).toMatchObject({ level: "warn" });
  });

  test("fails nobody while several wait", async () => {
    await using far = farSide();
    const both = [far.peer.request("a", {}, minute), far.peer.request("b", {}, minute)];
    await far.say({ id: null, error });
    await far.say({ id: 1, result: {} });
    await far.say({ id: 2, result: {} });
    await Promise.all(both);
  });

  test("is taken as an answer to a notification that was just sent", async () => {
    await using far = farSide();
    await far.peer.notify("notifications/initialized");
    const answer = far.peer.request("tools/list", {}, minute);
    await far.say({ id: null, error: { code: -32_601, message: "Method not found" } });
    await far.say({ id: 1, result: {} });
    await answer;
    const next = failure(far.peer.request("tools/call", {}, minute));
    await far.say({ id: null, error: { code: -32_601, message: "now it counts" } });
    expect((await next).message).toBe("now it counts");
  });

  test.each([[0], [77], ["x"]])("under the made-up id %j counts in the same way", async (id) => {
    await using far = farSide();
    await far.peer.notify("notifications/initialized");
    // B053: what could not be parsed is no answer to a notification.
    const answer = failure(far.peer.request("tools/list", {}, minute));
    await far.say({ id, error });
    expect((await answer).message).toBe("Parse error");
    expect(await far.logged("which was never sent: Parse error")).toMatchObject({ level: "warn" });
    const next = failure(far.peer.request("tools/call", {}, minute));
    await far.say({ id, error: { code: -32_600, message: "Invalid request" } });
    expect((await next).message).toBe("Invalid request");
  });

  test.each(["ping", "server/discover"])(
    "is excused after the answer to %s, too",
    async (method) => {
      await using far = farSide();
      await far.peer.notify("notifications/cancelled");
      const ping = far.peer.request(method, {}, minute);
      await far.say({ id: 1, result: {} });
      await ping;
      const answer = far.peer.request("tools/list", {}, minute);
      await far.say({ id: null, error: { code: -32_601, message: "Method not found" } });
      await far.say({ id: 2, result: {} });
      await answer;
    },
  );

  test("with a made-up id is excused in the same way", async () => {
    await using far = farSide();
    await far.peer.notify("notifications/initialized");
    const answer = far.peer.request("tools/list", {}, minute);
    await far.say({ id: 0, error: { code: -32_601, message: "Method not found" } });
    await far.say({ id: 1, result: {} });
    await answer;
    expect(far.logs.filter(({ level }) => level === "warn")).toEqual([]);
  });
});
