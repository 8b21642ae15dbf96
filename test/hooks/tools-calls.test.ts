/** Tools that plugins bring, as they are called: what they tell, what they call in turn, and the names that they have. */
import { expect, test } from "bun:test";

import type { Hooks, Plugin } from "../../lib/hooks/plugin.ts";
import { hostOver, textOf, tools } from "../host/kit.ts";
import { hooked, hostWith, object } from "./kit.ts";
import { text, toolOf } from "./tools-kit.ts";

test("progress and log entries arrive", async () => {
  const plugin = toolOf((_, { progress, log }) => {
    progress(1, 2, "half");
    log("a word", "warning");
    return "done";
  });
  await using host = await hostWith([plugin]);
  const steps: unknown[] = [];
  await host.call({ tool: "it", onProgress: (step) => steps.push(step) });
  expect(steps).toEqual([{ progress: 1, total: 2, message: "half" }]);
  expect(host.logged).toContainEqual({
    level: "warn",
    server: "t",
    text: "a word",
    source: "notification",
  });
});

test("what a tool calls in turn is for whoever called it, and passes the same gate", async () => {
  const seen: string[] = [];
  const plugin: Plugin = {
    ...toolOf(async (_, { host }) => {
      const { status, error } = await host.call({ tool: "echo", arguments: { x: 1 } });
      return `${status} ${error?.message ?? ""}`;
    }),
    hooks: { beforeCall: ({ tool, actor }) => void seen.push(`${tool} ${actor}`) },
  };
  const policy = [{ do: "allow" as const, tools: "it" }];
  await using host = await hostWith([plugin], { policy });
  const said = async (actor: "user" | "model") => textOf(await host.call({ tool: "it", actor }));
  expect(await said("user")).toBe("completed ");
  expect(await said("model")).toMatch(
    /^denied echo of server "shop" needs approval .*calls of a model/,
  );
  expect(seen).toEqual(["it user", "echo user", "it model", "echo model"]);
});

test("a hundred tools that call one of the same plugin do not wait for each other", async () => {
  const plugin: Plugin = {
    name: "t",
    tools: {
      outer: {
        description: "",
        input: object,
        run: async (_, { host }) => (await host.call({ tool: "inner" })).status,
      },
      inner: { description: "", input: object, run: () => Bun.sleep(5) },
    },
  };
  await using host = await hostWith([plugin]);
  const all = await Promise.all(Array.from({ length: 100 }, () => host.call({ tool: "outer" })));
  expect(new Set(all.map(textOf))).toEqual(new Set(["completed"]));
});

test("a tool that calls itself for ever ends", async () => {
  const plugin = toolOf(async (_, { host }) => {
    const { error, result } = await host.call({ tool: "it" });
    return error?.message ?? result;
  });
  await using host = await hostWith([plugin]);
  expect(textOf(await host.call({ tool: "it" }))).toBe(
    "it: tools of plugins call each other more than 32 deep",
  );
});

test("a tool of a plugin cannot call what plugins leave out, nor for anybody else", async () => {
  const seen: unknown[] = [];
  const hooks: Hooks = {
    listTools: (all) => all.filter(({ tool }) => tool !== "buy"),
    beforeCall: ({ tool, actor, owner }) => void seen.push([tool, actor, owner]),
  };
  const plugin = toolOf(async (_, { host }) => {
    const other = { tool: "echo", actor: "gateway", owner: "somebody" };
    await host.call(other);
    return (await host.call({ tool: "buy", arguments: { n: 1 } })).error?.code;
  });
  await using host = await hostWith([hooked(hooks), plugin]);
  expect(textOf(await host.call({ tool: "it" }))).toBe("denied");
  expect(seen).toEqual([
    ["it", "user", "default"],
    ["echo", "user", "default"],
  ]);
});

test("its tools keep their names, and no server's tool takes one; those of a server alone keep theirs, too", async () => {
  const s = { tools: tools("it", "pid"), rename: { pid: "it" } };
  await using host = await hostOver(
    { s: { tools: tools("it", "pid") } },
    { plugins: [toolOf(() => "ours")] },
  );
  const { tools: listed } = await host.tools();
  expect(listed.map(({ name, server }) => `${server}: ${name}`)).toEqual([
    "t: it",
    expect.stringMatching(/^s: it_[0-9a-f]{8}$/),
    "s: pid",
  ]);
  expect((await host.call({ tool: "it" })).result?.content).toEqual(text("ours"));
  expect((await host.call({ tool: "t.it" })).result?.content).toEqual(text("ours"));
  expect((await host.call({ tool: "s.it" })).status).toBe("completed");
  await using renamed = await hostOver({ s }, { plugins: [toolOf(() => "ours")] });
  expect((await renamed.call({ tool: "it" })).result?.content).toEqual(text("ours"));
  // Nobody else can have that name: nothing was started for it.
  expect(renamed.servers().map(({ name, state }) => `${name} ${state}`)).toEqual([
    "t ready",
    "s idle",
  ]);
});

test("rules know a tool of a plugin by its names and by the plugin's", async () => {
  for (const rule of [{ tools: "it" }, { tools: "t.it" }, { servers: "t" }]) {
    await using host = await hostWith([toolOf(() => "")], { policy: [{ do: "deny", ...rule }] });
    expect((await host.call({ tool: "it" })).status).toBe("denied");
    expect((await host.call({ tool: "echo" })).status).toBe("completed");
  }
});
