/** What plugins only look on at, and what servers ask: a fault of theirs is logged, and neither stops anything nor says yes. */
import { describe, expect, test } from "bun:test";

import type { Answers, Asked } from "../../lib/client/answer-types.ts";
import type { PluginFrame } from "../../lib/hooks/hook-types.ts";
import type { Hooks } from "../../lib/hooks/plugin.ts";
import { setUpPlugins } from "../../lib/hooks/runner.ts";
import { pluggedAnswers } from "../../lib/host/plugin-answers.ts";
import { hostOver, textOf, tools } from "../host/kit.ts";
import { waitFor } from "../processes.ts";
import { hooked, hostWith, never } from "./kit.ts";

const fail = () => {
  throw new Error("oops");
};

/** What a server is answered with plugins of these hooks, before those given. */
async function answers(hooks: Hooks[], given: Answers = {}) {
  const logged: string[] = [];
  const log = ({ text }: { text: string }) => void logged.push(text);
  const plugins = hooks.map((each, at) => ({ plugin: hooked(each, `p${at}`), from: "" }));
  const runner = await setUpPlugins({ plugins, log, hookTimeoutMs: 100, approvalTimeoutMs: 100 });
  return { logged, ...pluggedAnswers(runner, given, log) };
}

describe("servers", () => {
  test("one that may not start is not started, not even for its list; the others are", async () => {
    const seen: unknown[] = [];
    const serverStart: Hooks["serverStart"] = async (server) => {
      seen.push(server.name, server.kind, Object.isFrozen(server.args));
      return server.name === "a" ? { deny: "not on Sundays" } : undefined;
    };
    const both = { a: { tools: tools("pid") }, b: { tools: tools("pid") } };
    await using host = await hostOver(both, { plugins: [hooked({ serverStart })] });
    const { tools: listed, failed } = await host.tools();
    expect(listed.map(({ name }) => name)).toEqual(["b_pid"]);
    expect(failed.map(({ error }) => `${error.code}: ${error.message}`)).toEqual([
      'denied: server "a" may not start: plugin "p": not on Sundays',
    ]);
    expect(seen.toSorted()).toEqual(["a", "b", "stdio", "stdio", true, true].toSorted());
    expect(host.servers().map(({ name, state }) => `${name} ${state}`)).toEqual([
      "a failed",
      "b ready",
    ]);
  });

  test.each([
    [fail, /serverStart of server "a" threw: oops/],
    [() => never, /serverStart of server "a" gave no answer within 100 ms/],
    [() => false, /returned false: expected nothing or \{ deny: reason \}/],
  ] as [() => never, RegExp][])(
    "a hook that fails keeps it from starting: %p",
    async (serverStart, expected) => {
      const options = { plugins: [hooked({ serverStart })], limits: { hookTimeoutMs: 100 } };
      await using host = await hostOver({ a: { tools: tools("pid") } }, options);
      expect(textOf(await host.call({ tool: "pid" }))).toMatch(expected);
      expect((await host.call({ tool: "pid" })).status).toBe("denied");
    },
  );

  test("messages, lines and the end are told; hooks that throw are logged once, and stop nothing", async () => {
    const frames: PluginFrame[] = [];
    const ends: unknown[] = [];
    const told: string[] = [];
    const good: Hooks = {
      message: (frame) => void frames.push(frame),
      serverStop: (server, end) => void ends.push([server, end.kind]),
      log: ({ text }) => void told.push(text),
    };
    const bad: Hooks = {
      message: fail,
      serverStop: fail,
      serverLog: fail,
      log: async () => fail(),
    };
    const host = await hostOver(
      { a: { tools: tools("pid") } },
      { plugins: [hooked(bad, "bad"), hooked(good, "good")] },
    );
    expect((await host.call({ tool: "pid" })).status).toBe("completed");
    expect((await host.call({ tool: "pid" })).status).toBe("completed");
    const methods = frames
      .filter(({ direction }) => direction === "out")
      .map(({ text }) => JSON.parse(text).method);
    expect(methods).toContain("tools/call");
    expect(frames.some(({ direction, server }) => direction === "in" && server === "a")).toBe(true);
    await host[Symbol.asyncDispose]();
    await waitFor(() => ends.length > 0, "the end");
    expect(ends).toEqual([["a", "local"]]);
    const warnings = host.logged.filter(({ level }) => level === "warn").map(({ text }) => text);
    expect(warnings.toSorted()).toEqual(
      expect.arrayContaining([
        'plugin "bad": message threw: oops',
        'plugin "bad": serverStop threw: oops',
      ]),
    );
    expect(warnings.filter((text) => text.includes("message threw"))).toHaveLength(1);
  });

  test("the log of the host and the words of servers are told apart", async () => {
    const told: string[] = [];
    const hooks: Hooks = {
      serverLog: (server, { text, level }) => void told.push(`${server} ${level} ${text}`),
      log: ({ text }) => void told.push(text),
      afterCall: fail,
    };
    await using host = await hostWith([
      hooked(hooks),
      {
        name: "t",
        tools: { say: { description: "", input: {}, run: (_, { log }) => log("word", "warning") } },
      },
    ]);
    await host.call({ tool: "say" });
    expect(told).toContain("t warn word");
    expect(told).toContain('plugin "p": afterCall of say of server "t" threw: oops');
  });
});

describe("what servers ask", () => {
  const asked: Asked = { server: "s", signal: new AbortController().signal };

  test("nothing is declared that nobody answers", async () => {
    const { logged: _, ...none } = await answers([{}]);
    expect(none).toEqual({});
    const { elicit, elicitUrl, sample, roots } = await answers([{ elicit: () => undefined }]);
    expect([elicit, elicitUrl].every((each) => typeof each === "function")).toBe(true);
    expect([sample, roots]).toEqual([undefined, undefined]);
  });

  test("the first plugin with a word answers, then whoever is there, then nobody does", async () => {
    const yes = { action: "accept", content: { a: 1 } };
    const quiet: Hooks = { elicit: () => undefined, sample: () => null, roots: () => undefined };
    const one = await answers([quiet, { elicit: () => yes }, { elicit: fail }]);
    expect(await one.elicit!({ message: "?" }, asked)).toEqual(yes);
    expect(await one.elicitUrl!({ mode: "url" }, asked)).toEqual(yes);
    const behind = await answers([quiet], {
      elicit: async () => ({ action: "decline" }),
      sample: async () => ({ role: "assistant" }),
      roots: async () => [{ uri: "file:///r" }],
    });
    expect(await behind.elicit!({}, asked)).toEqual({ action: "decline" });
    expect(await behind.sample!({}, asked)).toEqual({ role: "assistant" });
    expect(await behind.sample!({ tools: [] }, asked)).toBeUndefined();
    expect(await behind.roots!("s")).toEqual([{ uri: "file:///r" }]);
    const nobody = await answers([quiet]);
    expect(await nobody.elicit!({}, asked)).toEqual({ action: "cancel" });
    expect(await nobody.sample!({}, asked)).toBeUndefined();
    expect(await nobody.roots!("s")).toEqual([]);
  });

  test("clients behind us are asked after the plugins, too", async () => {
    const calls: string[] = [];
    const relay = {
      capabilities: { elicitation: {} },
      ask: async (method: string) => (calls.push(method), { action: "decline" }),
    };
    const yes = await answers(
      [{ elicit: ({ params }) => (params.message === "mine" ? { action: "accept" } : undefined) }],
      { relay },
    );
    expect(await yes.relay!.ask("elicitation/create", { message: "mine" }, asked)).toEqual({
      action: "accept",
    });
    expect(await yes.relay!.ask("elicitation/create", { message: "x" }, asked)).toEqual({
      action: "decline",
    });
    expect(await yes.relay!.ask("roots/list", {}, asked)).toEqual({ action: "decline" });
    expect(calls).toEqual(["elicitation/create", "roots/list"]);
  });

  test.each([
    [fail, /for server "s" threw: oops/],
    [() => never, /for server "s" gave no answer within 100 ms/],
    [() => "yes", /for server "s" returned/],
    [
      ({ params }: { params: { message: string } }) => {
        params.message = "x";
        return {};
      },
      /threw/,
    ],
  ] as [() => never, RegExp][])("a fault is no yes: %p", async (hook, expected) => {
    const given: Answers = {
      elicit: async () => ({ action: "accept" }),
      roots: async () => [{ uri: "file:///r" }],
    };
    const one = await answers([{ elicit: hook, sample: hook, roots: hook }], given);
    expect(await one.elicit!({ message: "?" }, asked)).toEqual({ action: "cancel" });
    await expect(one.sample!({ message: "?" }, asked)).rejects.toThrow();
    expect(one.logged[0]).toMatch(expected);
    if (hook.length === 0) expect(await one.roots!("s")).toEqual([{ uri: "file:///r" }]);
  });
});
