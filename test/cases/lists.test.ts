/** Reported faults of lists that come in pages, in part or late. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { entry, faulty, hostOver, textOf } from "./kit.ts";
import { listOf } from "./lists-kit.ts";

setDefaultTimeout(60_000);

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
