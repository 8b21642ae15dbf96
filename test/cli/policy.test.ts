/** Rules of a config, as `tools --policy` shows them and as a call meets them: odd ones are told, bad ones refused. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, type TempDir, tempDir } from "../harness.ts";

const [command, ...args] = [...bunAlone, join(root, "examples/echo.ts")];

async function withPolicy(policy: unknown[], more: object = {}): Promise<TempDir> {
  const dir = await tempDir();
  const config = { mcpServers: { e: { command, args } }, policy, ...more };
  await Bun.write(dir.file("c.json"), JSON.stringify(config));
  return dir;
}

const at = (dir: TempDir, ...words: string[]) =>
  mcphost(...words, "-c", "c.json")
    .cwd(dir.path)
    .run();

test("rules that contradict: the strongest counts, and says so", async () => {
  await using dir = await withPolicy([
    { tools: "add", do: "allow" },
    { tools: "add", do: "ask" },
    { tools: "a*", do: "deny", reason: "no sums" },
    { tools: "echo", do: "allow" },
    { tools: "echo", do: "ask" },
  ]);
  const run = await at(dir, "tools", "--policy");
  expectRun(run, {
    stdout:
      /^ask +echo +by the rule for "echo" in c\.json\ndeny +add +by the rule for "a\*" in c\.json\n/,
  });
  expectRun(await at(dir, "call", "add", "a=1", "b=2"), {
    code: 5,
    stderr: 'mcphost: add of server "e" is denied by the rule for "a*" in c.json: no sums\n',
  });
  expectRun(await at(dir, "call", "echo", "message=hi"), { code: 5, stderr: /--allow-tool echo/ });
  expectRun(await at(dir, "call", "echo", "message=hi", "--allow-tool", "echo"), {
    stdout: "hi\n",
  });
});

test("rules of a named config that match nothing are told of wherever all tools are listed", async () => {
  await using dir = await withPolicy([
    { tools: "ad", do: "deny" },
    { servers: "x*", do: "deny" },
    { servers: "x*", tools: "echo", do: "deny" },
    { tools: "add", do: "deny" },
  ]);
  expectRun(await at(dir, "tools"), {
    stdout: /^echo/,
    stderr: `mcphost: warning: the rule for "ad" in c.json matches no tool here
mcphost: warning: a rule in c.json matches no tool here
mcphost: warning: the rule for "echo" in c.json matches no tool here
`,
  });
});

test("rules of the user's own config are about more servers than these: only tools --policy tells of them", async () => {
  await using dir = await tempDir();
  const policy = [{ tools: "elsewhere_*", do: "deny" }];
  await Bun.write(dir.file("config/mcphost/config.json"), JSON.stringify({ policy }));
  const own = (...words: string[]) =>
    mcphost(...words, "--", command, ...args)
      .home(dir.path)
      .run();
  expectRun(await own("tools"), { stdout: /^echo/, stderr: "" });
  expectRun(await own("tools", "--policy"), {
    stdout: /^allow/,
    stderr: /the rule for "elsewhere_\*" in .* matches no tool here\n$/,
  });
});

test("rules that match nothing, and one that trusts what tools say of themselves, are told of", async () => {
  await using dir = await withPolicy([
    { tools: "ad", do: "deny" },
    { servers: "x*", do: "deny" },
    { annotations: { readOnlyHint: true }, do: "allow" },
    { tools: "echo", annotations: { readOnlyHint: true }, do: "allow" },
  ]);
  const run = await at(dir, "tools", "--policy");
  expect(run.code).toBe(0);
  expect(run.stderr.split("\n")).toEqual([
    'mcphost: warning: the rule for "ad" in c.json matches no tool here',
    "mcphost: warning: a rule in c.json matches no tool here",
    expect.stringMatching(
      /^mcphost: warning: a rule in c\.json allows by annotations alone, .* answers no question/,
    ),
    "",
  ]);
});

test.each([
  [{ tools: "*", do: "maybe" }, /policy\[0\]\.do: expected one of allow, deny, ask/],
  [{ tool: "*", do: "deny" }, /policy\[0\]\.tool: expected a known key/],
  [{ tools: "*" }, /policy\[0\]: expected the key "?do/],
  [{ tools: ["a"], do: "deny" }, /policy\[0\]\.tools: expected a string/],
  [
    { actor: "nobody", do: "deny" },
    /policy\[0\]\.actor: expected one of user, script, model, gateway/,
  ],
  [
    { annotations: { readonly: true }, do: "deny" },
    /policy\[0\]\.annotations\.readonly: expected a known key/,
  ],
  [
    { arguments: { path: "/etc/*" }, do: "deny" },
    /policy\[0\]\.arguments\.path: expected a JSON pointer such as \/path/,
  ],
  [{ arguments: { "/a~2": "x" }, do: "deny" }, /expected a JSON pointer/],
  [{ arguments: { "/path": 5 }, do: "deny" }, /policy\[0\]\.arguments/],
])("a rule that cannot be read is an error, and no call is made: %p", async (rule, stderr) => {
  await using dir = await withPolicy([rule]);
  expectRun(await at(dir, "call", "echo", "message=hi"), { code: 2, stderr });
});

test("plugins that have a word in each call are named", async () => {
  await using dir = await withPolicy([{ tools: "add", do: "deny" }], { plugins: ["./p.ts"] });
  await Bun.write(dir.file("p.ts"), 'export default { name: "p", hooks: { beforeCall() {} } };');
  expectRun(await at(dir, "tools", "*d*", "--policy"), {
    stdout: /^deny +add +by the rule for "add" in c\.json$/m,
  });
  expectRun(await at(dir, "tools", "echo", "--policy"), { stdout: "allow  echo  or as p says\n" });
  const { stdout } = await at(dir, "tools", "echo", "--policy", "--json");
  expect(JSON.parse(stdout)).toEqual([
    { name: "echo", server: "e", tool: "echo", do: "allow", plugins: ["p"] },
  ]);
});
