/** The config of a plain call as it is read, and how often the call is sent. */
import { expect, test } from "bun:test";

import { meantBy } from "../../lib/cli/plain/config.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import { liveProcesses, waitFor } from "../processes.ts";
import { call, configOf, entry } from "./plain-config-kit.ts";

for (const era of ["legacy", "modern"])
  for (const stage of ["server/discover", "tools/list", "tools/call"])
    test.concurrent.each(["nothing", "noise", "stderr", "slow", "cut", "ping behind"])(
      `${era}, %s before ${stage}: each is sent once, whoever goes on`,
      async (what) => {
        await using home = await tempDir();
        const bench = entry(home, era, stage, what);
        for (const known of ["unknown", "known"]) {
          // One of two is meant by its name.
          const other = known === "known" && { other: { command: "no-such" } };
          const config = JSON.stringify({ mcpServers: { bench, ...other } });
          const { heard, ...ended } = await call(home, config, other ? "bench_echo" : "echo");
          expect({ known, ...ended }).toMatchObject({ known, code: 0, stdout: "é hi\n" });
          const methods = heard.split("\n").filter((line) => line.includes('"tools/call"'));
          expect(methods).toHaveLength(1);
        }
        await waitFor(async () => (await liveProcesses(home.path)).length === 0);
      },
    );

test.each(["", String.raw`,"\u0022\u0022"`])(
  "a key that stands twice in a config is told of (%j)",
  async (more) => {
    await using home = await tempDir();
    const { command, args } = entry(home);
    const server = `{"command":"no-such","command":${JSON.stringify(command)},"args":${JSON.stringify(args).slice(0, -1)}${more}]}`;
    const ended = await call(home, `{"mcpServers":{"bench":${server}}}`);
    expect(ended).toMatchObject({ code: 0, stdout: "é hi\n" });
    expect(ended.stderr).toContain("twice");
  },
);

test("a config that is a pipe is read once, by whoever reads it", async () => {
  await using home = await tempDir();
  Bun.spawnSync(["mkfifo", home.file("fifo")]);
  await Bun.write(home.file("mcp.json"), configOf(entry(home)));
  for (let run = 0; run < 3; run += 1) {
    const writer = Bun.spawn([
      "sh",
      "-c",
      'cat "$1" >"$2"',
      "sh",
      home.file("mcp.json"),
      home.file("fifo"),
    ]);
    const line = mcphost("call", "echo", "message=hi", "-c", home.file("fifo")).home(home.path);
    expectRun(await line.run(), { stdout: "é hi\n" });
    expect(await writer.exited).toBe(0);
  }
});

test("a config that changes meanwhile is the one that was read", async () => {
  await using home = await tempDir();
  // The server puts another one in the place of its config, and is slow then: the host goes on.
  const { command, args } = entry(home, "legacy", "tools/list", "slow");
  const swap = 'printf "{}" > "$1.new"; mv "$1.new" "$1"; shift; exec "$@"';
  // In a file: a config with `$` in it is no plain one.
  await Bun.write(home.file("swap.sh"), swap);
  const plain = {
    command: "/bin/sh",
    args: [home.file("swap.sh"), home.file("mcp.json"), command, ...args],
  };
  for (const known of ["unknown", "known"]) {
    const { heard, ...ended } = await call(home, configOf(plain));
    expect({ known, ...ended }).toMatchObject({ known, code: 0, stdout: "é hi\n" });
    expect(heard.split("\n").filter((line) => line.includes('"tools/call"'))).toHaveLength(1);
    expect(await Bun.file(home.file("mcp.json")).text()).toBe("{}");
  }
});

test.each([
  ["x.toml", [], /x\.toml/],
  ["-x.json", [], /-c needs a value/],
])("%s is none that is plain", async (name, more, stderr) => {
  await using home = await tempDir();
  await Bun.write(home.file(name), configOf(entry(home)));
  const line = mcphost("call", "echo", "message=hi", "-c", name, ...more).home(home.path);
  expectRun(await line.cwd(home.path).run(), { code: 2, stderr });
  expect(await Bun.file(home.file("heard")).exists()).toBeFalse();
});

test("a config with comments is read, and one that is not there is told of", async () => {
  await using home = await tempDir();
  const text = `// mine\n${JSON.stringify({ mcpServers: { bench: entry(home) } })}`;
  expect(await call(home, text)).toMatchObject({ code: 0, stdout: "é hi\n", stderr: "" });
  const run = mcphost("call", "echo", "message=hi", "-c", home.file("nope.json"));
  expectRun(await run.home(home.path).run(), { code: 2, stderr: /nope\.json/ });
});

const [a, b] = [
  { command: "a", args: ["1"] },
  { command: "/b", env: { X: "y" } },
];

test.each([
  ["t", { one: a }, { server: { name: "one", ...a, env: {} }, tool: "t", isExposed: false }],
  ["one_t", { one: a }, undefined],
  [
    "one_t",
    { one: a, two: b },
    { server: { name: "one", ...a, env: {} }, tool: "t", isExposed: true },
  ],
  [
    "two_a_b",
    { one: a, two: b },
    { server: { name: "two", args: [], ...b }, tool: "a_b", isExposed: true },
  ],
  ["t", { one: a, two: b }, undefined],
  ["one.t", { one: a, two: b }, undefined],
  ["one_", { one: a, two: b }, undefined],
  ["one_two_t", { one: a, one_two: b }, undefined],
  ["t", { one: { command: "./a" } }, undefined],
  ["t", { one: { command: "~/a" } }, undefined],
  ["t", { one: { ...a, cwd: "/" } }, undefined],
  ["t", {}, undefined],
] as const)("%s by %j is plain, or not", (tool, mcpServers, expected) => {
  expect(meantBy(JSON.stringify({ mcpServers }), tool)).toEqual(expected as never);
});
