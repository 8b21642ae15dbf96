/** Reported faults of names of tools, with one server and with many. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { config, entry, hostOver, textOf } from "./kit.ts";
import { listOf, named } from "./lists-kit.ts";

setDefaultTimeout(60_000);

const oneServer = (...names: string[]) => ["--", named(...names).command, ...named(...names).args];

const odd = [
  "a.b",
  "a_b",
  "a/b",
  "a b",
  `x${"y".repeat(79)}`,
  `x${"y".repeat(70)}zzzzzzzzz`,
  "日本語のツール",
  "naïve",
  "",
  " ",
  "\t",
  "-flag",
  "key=value",
  "--",
  "__proto__",
  "constructor",
  "toString",
  "then",
  "a:b",
  "*",
  "server.a_b",
  "server_a_b",
  "😀",
  "e\u0301",
  "é",
  "z".repeat(300),
  'quo"te',
  "back\\slash",
  "line\nbreak",
  "\u001b[31m",
];

describe.concurrent("B116 names of every kind", () => {
  test("of one server: listed as they are, and each called exactly, by the command line", async () => {
    const words = oneServer(...odd);
    const list = await listOf(words);
    expect(list.map(({ tool }) => tool)).toEqual(odd);
    expect(new Set(list.map(({ name }) => name)).size).toBe(odd.length);
    const exposed = new Map(list.map(({ tool, name }) => [tool, name]));
    for (const name of odd) {
      // A word that begins with a dash is a flag, and an empty one no name: the qualified name is.
      const bare = name === "" || name.startsWith("-") ? [] : [name];
      for (const word of [...bare, `server/${name}`, exposed.get(name)!]) {
        if (word.startsWith("-")) continue;
        const run = await mcphost("call", word, ...words).run();
        expect({ word, code: run.code, stdout: run.stdout }).toEqual({
          word,
          code: 0,
          stdout: `${JSON.stringify([name, {}])}\n`,
        });
      }
    }
  });

  test("of two servers: distinct, clean, stable; raw and mapped form both work", async () => {
    const servers = { s: named(...odd), t: named("a.b") };
    const [first, second] = [await listOf(config(servers)), await listOf(config(servers))];
    expect(second).toEqual(first);
    const names = first.map(({ name }) => name);
    expect(new Set(names).size).toBe(odd.length + 1);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    await using host = await hostOver(servers);
    for (const { name, server, tool } of first)
      for (const word of [name, `${server}.${tool}`, `${server}/${tool}`])
        expect({ word, said: textOf(await host.call({ tool: word })) }).toEqual({
          word,
          said: JSON.stringify([tool, {}]),
        });
  });
});

describe.concurrent("B118 joined names that would be one", () => {
  const servers = {
    acme: named("_status", "status"),
    acme_: named("status", "_status"),
    a__b: named("c"),
    a: named("b__c", "_b__c"),
    long: named(`${"l".repeat(64)}1`, `${"l".repeat(64)}2`, "m".repeat(64)),
  };

  test("are distinct, each leads to its own tool, and are the same whatever starts first", async () => {
    const list = await listOf(config(servers));
    expect(new Set(list.map(({ name }) => name)).size).toBe(10);
    for (const { name, tool } of list) {
      const run = await mcphost("call", name, ...config(servers)).run();
      expect({ name, code: run.code, stdout: run.stdout }).toEqual({
        name,
        code: 0,
        stdout: `${JSON.stringify([tool, {}])}\n`,
      });
    }
    await using host = await hostOver(servers);
    for (const { name, tool } of list.toReversed())
      expect(textOf(await host.call({ tool: name }))).toBe(JSON.stringify([tool, {}]));
    expect((await host.tools()).tools.map(({ name }) => name)).toEqual(
      list.map(({ name }) => name),
    );
  });
});

describe.concurrent("B119 one name in two servers", () => {
  test("bare is refused with the candidates, qualified is right, and the end of one leaves the other", async () => {
    const servers = { x: named("search", "only"), y: named("search") };
    expectRun(await mcphost("call", "search", ...config(servers)).run(), {
      code: 2,
      stderr: /x\/search.*y\/search/s,
    });
    for (const word of ["y.search", "y/search", "y_search", "x.search", "only"])
      expect((await mcphost("call", word, ...config(servers)).run()).code).toBe(0);

    await using host = await hostOver({ x: entry("life.one-call"), y: entry("life.pid") });
    expect(await host.call({ tool: "pid" })).toMatchObject({
      error: { code: "usage", facts: { candidates: ["x/pid", "y/pid"] } },
    });
    const y = textOf(await host.call({ tool: "y.pid" }));
    await host.call({ tool: "x.pid" });
    await waitFor(() => host.servers()[0]!.state !== "ready", "the end of x to be seen");
    expect(textOf(await host.call({ tool: "y.pid" }))).toBe(y);
    expect(await host.call({ tool: "pid" })).toMatchObject({ error: { code: "usage" } });
    expect((await host.call({ tool: "x_pid" })).status).toBe("completed");
  });
});
