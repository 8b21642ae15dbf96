/** Reported faults of lists of tools and of names, with one server and with many. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { config, entry, faulty, hostOver, textOf } from "./kit.ts";

setDefaultTimeout(60_000);

const named = (...names: string[]) =>
  entry(
    "lists.listed",
    {},
    JSON.stringify(names.map((name) => ({ name, inputSchema: { type: "object" } }))),
  );
const oneServer = (...names: string[]) => ["--", named(...names).command, ...named(...names).args];

interface Listed {
  name: string;
  server: string;
  tool: string;
}

async function listOf(words: string[]): Promise<Listed[]> {
  const run = await mcphost("tools", "--json", ...words).run();
  expect(run.code).toBe(0);
  return JSON.parse(run.stdout);
}

describe.concurrent("B112 pages", () => {
  test("all 101 tools of three pages in order; the last one is callable; a change walks all pages again", async () => {
    const words = ["--", ...faulty("lists.pages")];
    const all = Array.from({ length: 101 }, (_, n) => `tool${n + 1}`);
    expect((await listOf(words)).map(({ tool }) => tool)).toEqual(all);
    expectRun(await mcphost("call", "tool101", ...words).run(), { stdout: '["tool101",{}]\n' });
    await using host = await hostOver({ s: entry("lists.pages") });
    expect((await host.tools()).tools).toHaveLength(101);
    await host.call({ tool: "tool1" });
    expect((await host.tools()).tools.map(({ tool }) => tool)).toEqual([...all, "tool102"]);
    expect(textOf(await host.call({ tool: "tool102" }))).toBe('["tool102",{}]');
  });
});

describe.concurrent.each(["", '"mute"'])("a server whose tools come a moment later %s", (how) => {
  const late = (...words: string[]) => mcphost(...words, "--", ...faulty("lists.late", how)).run();

  test("its list is waited for: tools, call, doctor, the module", async () => {
    expectRun(await late("tools"), { stdout: /^echo\(/ });
    expectRun(await late("doctor"), { stdout: /, 1 tool,/ });
    expectRun(await late("call", "echo", "message=hi"), { stdout: "hi\n" });
    expectRun(await late("call", "ecko"), { code: 2, stderr: /did you mean echo/ });
    await using host = await hostOver({ s: entry("lists.late", {}, how) });
    expect((await host.tools()).tools.map(({ tool }) => tool)).toEqual(["echo"]);
  });
});

describe.concurrent.each([
  ["answered with an error", "half", "answered \\w+/list with error -32603: no second page", 1],
  ["not answered, for the server ends", "ends", "ended with exit code 9 while it was answering", 3],
])("a second page that is %s", (_, fault, how, code) => {
  const words = ["--", ...faulty(`lists.${fault}`)];
  const said = new RegExp(`server "s[a-z]*" ${how}`);

  test("tools: what was listed is shown and can be called, and each time it is said that there is more", async () => {
    expectRun(await mcphost("tools", ...words).run(), {
      code: 3,
      stdout: "mend()\nfirst()\n",
      stderr: said,
    });
    const called = await mcphost("call", "first", ...words).run();
    expectRun(called, { stdout: '["first",{}]\n', stderr: said });
    expect(called.stderr).toStartWith("mcphost: warning: ");
    expectRun(await mcphost("call", "second", ...words).run(), { code, stderr: said });
  });

  test("prompts and resources: the same", async () => {
    expectRun(await mcphost("prompts", ...words).run(), {
      code: 3,
      stdout: /^first/,
      stderr: said,
    });
    const got = await mcphost("prompt", "first", ...words).run();
    expectRun(got, { stdout: /first/, stderr: said });
    expectRun(await mcphost("prompt", "second", ...words).run(), { code, stderr: said });
    const listed = await mcphost("resources", ...words).run();
    expectRun(listed, { code: 3, stdout: /a:1/, stderr: said });
    expectRun(await mcphost("read", "a:1", ...words).run(), { stdout: "read" });
  });

  test("the doctor says which server failed at what", async () => {
    const run = await mcphost("doctor", ...words).run();
    expectRun(run, { code: 3, stdout: new RegExp(`error: server "server" ${how}`) });
  });

  test("tasks: what was listed is shown, and it is said that there is more", async () => {
    const run = await mcphost("task", "--json", ...words).run();
    expectRun(run, {
      stdout: /^\[\{"taskId":"one"/,
      stderr: new RegExp(`not all of its tasks are known: .*${how.split(" ").at(-1)}`),
    });
  });
});

describe.concurrent("a page that fails", () => {
  test("a list that was half is asked for again: by the next listing, and for a tool that it has not", async () => {
    await using host = await hostOver({ s: entry("lists.half"), t: entry("plain.tells") });
    const half = await host.tools();
    expect(half.failed).toMatchObject([{ server: "s", error: { code: "rpc_error" } }]);
    expect(half.tools.map(({ name }) => name)).toEqual([
      "s_mend",
      "s_first",
      "t_echo",
      "t_env",
      "t_argv",
    ]);
    expect(await host.call({ tool: "s_second" })).toMatchObject({ error: { code: "rpc_error" } });
    expect((await host.resources()).resources.map(({ uri }) => uri)).toEqual(["a:1"]);
    for (const _ of "ab") expect(textOf(await host.call({ tool: "s_mend" }))).toBe('["mend",{}]');
    expect(host.logged.filter(({ level }) => level === "warn")).toHaveLength(1);
    expect(textOf(await host.call({ tool: "s_second" }))).toBe('["second",{}]');
    const whole = await host.tools();
    expect([whole.failed, whole.tools.length]).toEqual([[], 6]);
  });
});

const bigsIn = (text: string) => Array.from(text.matchAll(/922337203685477\d+/g), String);

describe.concurrent("digits that no double holds", () => {
  const big = "9223372036854775807";
  const words = ["--", ...faulty("lists.digits", big)];

  test.each([
    [["tools", "--json"], 4],
    [["tools", "big", "--schema"], 1],
    [["prompts", "--json"], 1],
    [["resources", "--json"], 1],
  ])("stay in lists and schemas: %j", async (command, count) => {
    const run = await mcphost(...command, ...words).run();
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(bigsIn(run.stdout)).toEqual(Array(count).fill(big));
  });

  test("stay in the data of an error", async () => {
    const run = await mcphost("call", "big", "--json", ...words).run();
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(bigsIn(run.stderr)).toEqual([big]);
  });

  test("are numbers to whoever reads schemas, and arguments are checked by them", async () => {
    await using host = await hostOver({ s: entry("lists.digits", {}, big) });
    const [tool] = (await host.tools()).tools;
    expect(tool?.inputSchema).toMatchObject({ properties: { n: { maximum: Number(big) } } });
    expect<unknown>(tool?.annotations).toEqual({ n: Number(big) });
    const call = (n: number) => host.call({ tool: "big", arguments: { n } });
    expect(await call(1)).toMatchObject({ error: { code: "rpc_error" } });
    expect(await call(1e30)).toMatchObject({ error: { code: "usage" } });
  });
});

describe.concurrent("B115 null is as good as absent", () => {
  const tool = {
    name: "t",
    title: null,
    description: null,
    annotations: null,
    outputSchema: null,
    icons: null,
    _meta: null,
    execution: null,
    inputSchema: {
      type: "object",
      properties: null,
      required: null,
      additionalProperties: null,
      description: null,
    },
  };
  test.each<[string, object]>([
    ["nextCursor and _meta", { tools: [tool], nextCursor: null, _meta: null }],
    [
      "everything of a tool",
      {
        tools: [
          { name: "t", inputSchema: { type: "object" } },
          { ...tool, name: "u" },
        ],
        nextCursor: null,
        ttlMs: null,
        resultType: null,
      },
    ],
  ])("%s", async (_, result) => {
    const words = ["--", ...faulty("lists.result", JSON.stringify(result))];
    const list = await listOf(words);
    expect(list.map((one) => one.tool)).toContain("t");
    expect(JSON.stringify(list)).not.toContain('"title":null');
    const run = await mcphost("call", "t", ...words).run();
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: '["t",{}]\n' });
    expect((await mcphost("tools", "t", ...words).run()).code).toBe(0);
  });

  test("tools that are null are none", async () => {
    const run = await mcphost(
      "tools",
      "--json",
      "--",
      ...faulty("lists.result", '{"tools":null,"nextCursor":null}'),
    ).run();
    expect(JSON.parse(run.stdout || "[]")).toEqual([]);
    expect(run.stderr).not.toContain("internal");
  });
});

describe.concurrent("B113 several servers", () => {
  test.each([
    ["0", "400"],
    ["400", "0"],
  ])("the union in the order of the config, whichever is faster (%s, %s)", async (a, b) => {
    const servers = { one: entry("lists.slow", {}, a), two: entry("lists.slow", {}, b) };
    expect((await listOf(config(servers))).map(({ name }) => name)).toEqual([
      "one_echo",
      "one_search",
      "two_echo",
      "two_search",
    ]);
  });

  test("one that fails hides none, wherever it stands", async () => {
    const good = entry("lists.slow", {}, "0");
    const bad = { command: "/no/such/server" };
    for (const servers of [
      { bad, good },
      { good, bad },
    ]) {
      const run = await mcphost("tools", ...config(servers)).run();
      expectRun(run, {
        code: 3,
        stdout: "good_echo(message: string)\ngood_search()\n",
        stderr: /"bad"/,
      });
    }
  });
});

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

describe("many", () => {
  test("10,000 tools are listed and the last one is called", async () => {
    const words = ["--", ...faulty("lists.many")];
    const run = await mcphost("tools", ...words).run();
    expect({ code: run.code, lines: run.stdout.split("\n").length, stderr: run.stderr }).toEqual({
      code: 0,
      lines: 10_001,
      stderr: "",
    });
    expectRun(await mcphost("call", "tool9999", ...words).run(), { stdout: '["tool9999",{}]\n' });
    expectRun(await mcphost("call", "tool10000", ...words).run(), { code: 2, stderr: /tool1000/ });
    const two = config({ a: entry("lists.many"), b: entry("lists.many") });
    expectRun(await mcphost("call", "b_tool9999", ...two).run(), { stdout: '["tool9999",{}]\n' });
  });

  test("50 servers, three of them bad: the good ones are listed side by side, each bad one is named with its reason", async () => {
    const good = Array.from({ length: 47 }, (_, n) => [`good${n}`, entry("lists.slow", {}, "300")]);
    const schema = JSON.stringify([{ name: "odd", inputSchema: { type: "int" } }]);
    const servers = {
      broken: entry("life.exit-1"),
      hanging: entry("lists.hanging", { startTimeoutMs: 3000 }),
      schema: entry("lists.listed", {}, schema),
      ...Object.fromEntries(good),
    };
    const run = await mcphost("tools", ...config(servers)).run();
    const lines = run.stdout.trimEnd().split("\n");
    expect(run.code).toBe(3);
    expect(lines).toHaveLength(47 * 2 + 1);
    expect(lines[0]).toStartWith("schema_odd(");
    expect(lines.slice(1)).toEqual(
      good.flatMap(([name]) => [`${name}_echo(message: string)`, `${name}_search()`]),
    );
    expect(run.stderr).toMatch(/"broken" exited with code 1[^]*API_KEY is required/);
    expect(run.stderr).toMatch(/"hanging" did not answer initialize in 3/);
    expect(run.stderr).toMatch(/\[schema\] tool "odd": .*"int"/);
    expect(run.stderr).not.toMatch(/good\d/);
    // One after the other the lists alone would take 14 s, and starting as long again.
    expect(run.ms).toBeLessThan(25_000);
    await nothingLeft(run.marker, 20_000);
  });
});
