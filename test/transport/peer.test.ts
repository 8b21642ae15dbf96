/** One JSON-RPC link: every answer goes to its request and to no other, whatever the far side does. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { farSide } from "./peers.ts";

const minute = { timeoutMs: 60_000 };

interface Failure extends Error {
  code: string | number;
  hint?: string;
  data?: unknown;
}

/** What a promise was rejected with. */
async function failure(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    return error as Failure;
  }
  throw new Error("it was not rejected");
}

test("requests carry ids from 1, and each gets its own answer and its exact text", async () => {
  await using far = farSide();
  const [a, b] = [far.peer.request("a", {}, minute), far.peer.request("b", { x: 1 }, minute)];
  await far.say({ id: 2, result: { b: 1 } });
  await far.say({ id: 1, result: { a: 1 } });
  expect((await a).response.result).toEqual({ a: 1 });
  expect((await b).text).toBe('{"jsonrpc":"2.0","id":2,"result":{"b":1}}');
  expect(far.got).toEqual([
    { jsonrpc: "2.0", id: 1, method: "a", params: {} },
    { jsonrpc: "2.0", id: 2, method: "b", params: { x: 1 } },
  ]);
});

test("params may be made from the id", async () => {
  await using far = farSide({ script: ({ params }) => ({ result: params }) });
  const { response } = await far.peer.request(
    "a",
    (id) => ({ _meta: { progressToken: id } }),
    minute,
  );
  expect(response.result).toEqual({ _meta: { progressToken: 1 } });
});

test("params that throw reject the request, and the id is still free", async () => {
  await using far = farSide({ script: () => ({ result: {} }) });
  const broken = far.peer.request(
    "a",
    () => {
      throw new Error("bad params");
    },
    minute,
  );
  expect((await failure(broken)).message).toBe("bad params");
  expect((await far.peer.request("b", {}, minute)).response.id).toBe(1);
});

describe("errors", () => {
  test("of the far side come as they are, code 0 too", async () => {
    await using far = farSide({ script: () => ({ error: { code: 0, message: "no", data: [0] } }) });
    const error = await failure(far.peer.request("a", {}, minute));
    expect(error).toBeInstanceOf(RpcError);
    expect([error.code, error.message, error.data]).toEqual([0, "no", [0]]);
  });

  test("an answer with neither result nor error fails its request", async () => {
    await using far = farSide({ script: () => ({}) });
    const error = await failure(far.peer.request("tools/list", {}, minute));
    expect(error).toMatchObject({ code: "rpc_error", facts: { server: "srv", sent: true } });
    expect(error.message).toBe(
      'server "srv" answered tools/list with neither a result nor an error',
    );
  });

  test("what cannot be written as JSON is not sent", async () => {
    await using far = farSide({ script: () => ({ result: {} }) });
    const error = await failure(far.peer.request("a", { x: 1n as never }, minute));
    expect(error).toMatchObject({ code: "usage", facts: { sent: false } });
    await far.peer.request("b", {}, minute);
  });
});

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

describe("the link ends", () => {
  test("by an exit: what waits fails with the evidence", async () => {
    const closeInfo = {
      kind: "exit" as const,
      exitCode: 3,
      stderr: ["starting", "API_KEY is required", ""],
    };
    await using far = farSide({ closeInfo });
    const answer = failure(far.peer.request("tools/call", {}, minute));
    await far.until((message) => "method" in message);
    await far.end();
    const error = await answer;
    expect(error.message).toBe(
      'server "srv" ended with exit code 3 while it was answering tools/call',
    );
    expect(error).toMatchObject({
      code: "server_exit",
      hint: "its last lines on stderr tell why",
      facts: { server: "srv", sent: true, exitCode: 3, stderr: closeInfo.stderr },
    });
    expect(await far.peer.closed).toEqual(closeInfo);
    const later = await failure(far.peer.request("ping", {}, minute));
    expect(later).toMatchObject({ code: "server_exit", facts: { sent: false, exitCode: 3 } });
    expect(await failure(far.peer.notify("x"))).toMatchObject({ code: "server_exit" });
  });

  test.each([
    [{ kind: "exit" as const, signal: "SIGKILL" }, "was ended by SIGKILL"],
    [{ kind: "exit" as const, exitCode: 0 }, "ended with exit code 0"],
    [{ kind: "eof" as const }, "closed its stdout"],
    [{ kind: "error" as const, error: new Error("x") }, "lost its link"],
  ])("%j is said as it is", async (closeInfo, text) => {
    await using far = farSide({ closeInfo });
    const answer = failure(far.peer.request("a", {}, minute));
    await far.end();
    expect((await answer).message).toContain(`server "srv" ${text} `);
  });

  test("before a request went out whole: it was not sent", async () => {
    const gate = Promise.withResolvers<void>();
    await using far = farSide({ send: () => gate.promise });
    const answer = failure(far.peer.request("a", {}, minute));
    await far.end();
    gate.reject(new HostError("server_exit", "stdin is closed"));
    expect(await answer).toMatchObject({ code: "server_exit", facts: { sent: false } });
  });

  test("and nobody knows whether a request went out: it may have been sent", async () => {
    await using far = farSide({ send: () => new Promise(() => {}) });
    const answer = failure(far.peer.request("a", {}, minute));
    await far.end();
    expect(await answer).toMatchObject({ code: "server_exit", facts: { sent: true } });
  });

  test("for writing only: the request fails without waiting for its time-out", async () => {
    await using far = farSide({
      send: async () => {
        throw new HostError("server_exit", "its stdin is closed");
      },
    });
    const error = await failure(far.peer.request("a", {}, minute));
    expect(error).toMatchObject({ code: "server_exit", facts: { sent: false, server: "srv" } });
    expect(error.message).toContain("its stdin is closed");
  });

  test("by us", async () => {
    const far = farSide();
    const answer = failure(far.peer.request("a", {}, minute));
    await far.peer[Symbol.asyncDispose]();
    expect(await answer).toMatchObject({ code: "server_exit" });
    expect(await far.peer.closed).toEqual({ kind: "local" });
  });
});

test("onSent is called once, when the request was handed over; what it throws does no harm", async () => {
  const gate = Promise.withResolvers<void>();
  await using far = farSide({ send: () => gate.promise });
  let sent = 0;
  const onSent = () => {
    sent++;
    throw new Error("mine");
  };
  const answer = far.peer.request("a", {}, { ...minute, onSent });
  await far.say({ method: "notifications/cancelled" });
  await far.logged("cancelled ignored");
  expect(sent).toBe(0);
  gate.resolve();
  await far.logged("mine");
  await far.say({ id: 1, result: {} });
  await answer;
  expect(sent).toBe(1);
});

test("100 requests in flight, answered in reverse", async () => {
  await using far = farSide();
  const answers = Array.from({ length: 100 }, () => far.peer.request("a", {}, minute));
  for (let id = 100; id > 0; id--) await far.say({ id, result: { id } });
  const ids = (await Promise.all(answers)).map(({ response }) => response.result);
  expect(ids).toEqual(Array.from({ length: 100 }, (_, index) => ({ id: index + 1 })));
});
