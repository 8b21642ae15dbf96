/** What a face that serves several people asks of the host: owners, audiences, ids that cancel, what is known by now. */
import { expect, test } from "bun:test";

import type { HostEvent } from "../../lib/host/types.ts";
import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";

const named = (...names: string[]) =>
  names.map((name) => ({ name, inputSchema: { type: "object" } }));

test("a call has its owner and its id, in its events too", async () => {
  await using kit = serveOver({ s: {} });
  const events: HostEvent[] = [];
  using _watching = kit.host.onEvent((event) => events.push(event));
  const told: string[] = [];
  await kit.host.call({
    tool: "echo",
    owner: "ann",
    id: "call-1",
    listener: { onCall: ({ id, owner, server, tool }) => told.push(id, owner, server, tool) },
  });
  expect(told).toEqual(["call-1", "ann", "s", "echo"]);
  expect(events.filter(({ type }) => type.startsWith("call"))).toMatchObject([
    { type: "call_start", id: "call-1", owner: "ann" },
    { type: "call_end", id: "call-1", owner: "ann", status: "completed" },
  ]);
});

test("a tool that is not for who asks is as unknown as any, by each of its names", async () => {
  await using kit = serveOver({ s: { prefix: "s_", tools: named("mine", "other") } });
  const asked: string[][] = [];
  const admits = (names: readonly string[]) => {
    asked.push([...names]);
    return names.includes("mine");
  };
  for (const tool of ["s_other", "other", "s.other", "s/other"]) {
    const listener = { onCall: () => expect.unreachable() };
    const outcome = await kit.host.call({ tool, admits, listener });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "usage", facts: { tool } } });
    expect(Object.keys(outcome.error?.facts ?? {})).toEqual(["tool"]);
  }
  for (const names of asked)
    expect(names).toEqual(expect.arrayContaining(["other", "s_other", "s.other", "s/other"]));
  expect(await kit.host.call({ tool: "s_mine", admits })).toMatchObject({ status: "completed" });
});

test("who a rule denies is not told of: nothing was admitted", async () => {
  const policy = [{ tools: "echo", do: "deny" as const }];
  await using kit = serveOver({ s: {} }, { hostOptions: { policy } });
  const listener = { onCall: () => expect.unreachable() };
  const outcome = await kit.host.call({ tool: "echo", listener });
  expect(outcome.status).toBe("denied");
});

test("whoever listens is told once what became of a call, whatever that is, and before it is given", async () => {
  await using kit = serveOver({ s: { tools: named("echo", "refused") } });
  const known = { tool: "echo" };
  const requests = [
    known,
    { tool: "nope" },
    { ...known, admits: () => false },
    { ...known, signal: AbortSignal.abort(new Error("given up")) },
  ];
  for (const request of requests) {
    const told: unknown[] = [];
    const outcome = kit.host.call({
      ...request,
      listener: { onEnd: (ended) => told.push(ended) },
    });
    void outcome.then(() => told.push("given"));
    expect(told).toEqual([await outcome, "given"]);
  }
});

const fail = () => {
  throw new Error("a fault of its own");
};

test("what a listener throws harms no call", async () => {
  await using kit = serveOver({ s: {} });
  for (let count = 0; count < 3; count++) {
    const outcomes = await Promise.all([
      kit.host.call({ tool: "echo", listener: { onSent: fail, onEnd: fail } }),
      kit.host.call({ tool: "echo" }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["completed", "completed"]);
  }
  const starts = kit.logged.filter(({ text }) => text.startsWith("started:"));
  expect(starts).toHaveLength(1);
});

test("a call ends by its id, by its signal, and with the host", async () => {
  await using kit = serveOver({ s: { tools: named("silent") } });
  const { host } = kit;
  const running = (id: string, signal?: AbortSignal) => {
    const begun = Promise.withResolvers<void>();
    const outcome = host.call({
      tool: "silent",
      id,
      listener: { onCall: () => begun.resolve() },
      ...(signal && { signal }),
    });
    return { begun: begun.promise, outcome };
  };
  const leaving = new AbortController();
  const calls = [
    running("a"),
    running("b", leaving.signal),
    running("c", new AbortController().signal),
  ];
  await Promise.all(calls.map(({ begun }) => begun));
  const { HostError } = await import("../../lib/base/errors.ts");
  expect(host.cancel("a", new HostError("cancelled", "by its id"))).toBe(true);
  expect(host.cancel("none", new HostError("cancelled", "by its id"))).toBe(false);
  leaving.abort();
  expect(await calls[0]!.outcome).toMatchObject({ status: "cancelled", sent: true });
  expect(await calls[1]!.outcome).toMatchObject({ status: "cancelled" });
  expect(host.cancel("a", new HostError("cancelled", "again"))).toBe(false);
  await host[Symbol.asyncDispose]();
  expect(await calls[2]!.outcome).toMatchObject({ status: "cancelled" });
  const aborted = await host.call({ tool: "silent", id: "d", signal: AbortSignal.abort() });
  expect(aborted.status).toBe("cancelled");
});

test("what is known starts nothing, and what failed is said", async () => {
  await using kit = serveOver(
    { good: { tools: named("t"), deniedTools: ["u"] }, dead: { command: "/nonexistent/program" } },
    { servers: [] },
  );
  expect(await kit.host.knownTools()).toEqual({ tools: [], failed: [], warnings: [] });
  expect(kit.host.servers().map(({ state }) => state)).toEqual(["idle", "idle"]);
  await kit.host.tools();
  await waitFor(() => kit.host.servers()[1]?.error !== undefined);
  const { tools, failed } = await kit.host.knownTools();
  expect(tools).toMatchObject([{ name: "good_t", server: "good", tool: "t" }]);
  expect(failed).toMatchObject([{ server: "dead", error: { code: "server_start" } }]);
});

test("what rules say of a tool before its arguments are known, by who asks", async () => {
  const policy = [
    { tools: "t", actor: "gateway" as const, do: "ask" as const },
    { tools: "t", arguments: { "/path": "/etc/*" }, do: "deny" as const },
  ];
  await using kit = serveOver({ s: { tools: named("t") } }, { hostOptions: { policy } });
  const { tools } = await kit.host.tools();
  const depends = ['deny where {"/path":"/etc/*"}, by the rule for "t"'];
  expect(await kit.host.judge(tools, "gateway")).toEqual([
    { do: "ask", rule: 'the rule for "t"', dependsOnArguments: depends },
  ]);
  expect(await kit.host.judge(tools, "user")).toEqual([
    { do: "allow", dependsOnArguments: depends },
  ]);
});
