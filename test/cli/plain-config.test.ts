/** A plain call by a config file: started, spoken with and told of as by the host, or left to it. */
import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { meantBy } from "../../lib/cli/plain/config.ts";
import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import type { TempDir } from "../harness.ts";
import { liveProcesses, waitFor } from "../processes.ts";

const staged = join(root, "test/fixtures/servers/staged.ts");
const [bun = "", ...flags] = bunAlone;

function entry(home: TempDir, era = "legacy", stage = "none", what = "none") {
  return { command: bun, args: [...flags, staged, home.file("heard"), era, stage, what] };
}

async function call(home: TempDir, text: string, ...words: string[]) {
  await Bun.write(home.file("mcp.json"), text);
  const [tool = "echo", ...more] = words;
  const run = await mcphost("call", tool, "message=hi", "-c", home.file("mcp.json"), ...more)
    .home(home.path)
    .run();
  const { code, stdout, stderr } = run;
  const file = Bun.file(home.file("heard"));
  const heard = (await file.exists()) ? await file.text() : "";
  if (heard !== "") await file.delete();
  return { code, stdout, stderr: stderr.replaceAll(home.path, "HOME"), heard };
}

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

const configs: Record<string, (server: ReturnType<typeof entry>) => unknown> = {
  plain: (server) => ({ mcpServers: { bench: server } }),
  "of a type": (server) => ({ mcpServers: { bench: { type: "stdio", ...server } } }),
  "with variables": (server) => ({
    mcpServers: { bench: { ...server, env: { A: "b", LANG: "" } } },
  }),
  "with one that is filled in": (server) => ({
    mcpServers: { bench: { ...server, env: { A: "${HOME}" } } },
  }),
  "with one that is not there": (server) => ({
    mcpServers: { bench: { ...server, args: [...server.args, "${NOT_THERE}"] } },
  }),
  "with one that cannot be": (server) => ({
    mcpServers: { bench: { ...server, env: { "A=": "b" } } },
  }),
  "with a number among the arguments": (server) => ({
    mcpServers: { bench: { ...server, args: [...server.args, 1] } },
  }),
  "with a rule": (server) => ({ mcpServers: { bench: { ...server, deniedTools: ["echo"] } } }),
  "with rules for all": (server) => ({
    mcpServers: { bench: server },
    policy: [{ tools: "echo", do: "deny" }],
  }),
  "switched off": (server) => ({ mcpServers: { bench: { ...server, disabled: true } } }),
  "with an unknown key": (server) => ({ mcpServers: { bench: { ...server, color: "red" } } }),
  "of two servers": (server) => ({ mcpServers: { bench: server, other: server } }),
  "of two with names alike": (server) => ({ mcpServers: { bench: server, bench_echo: server } }),
  "of two, one not plain": (server) => ({
    mcpServers: { bench: server, other: { url: "${NOPE}" } },
  }),
  "of two, one broken": (server) => ({ mcpServers: { bench: server, other: { command: 1 } } }),
  "of none": () => ({ mcpServers: {} }),
  "of another shape": (server) => ({ servers: { bench: server } }),
  "named like a tool": (server) => ({ mcpServers: { echo: server } }),
  "with a name that is none": (server) => ({ mcpServers: { "a\tb": server } }),
  "with a program that is not there": ({ args }) => ({
    mcpServers: { bench: { command: "no-such", args } },
  }),
  "with a line of a shell": () => ({ mcpServers: { bench: { command: "echo hi" } } }),
  "that is a list": () => [],
};

test.concurrent.each(Object.keys(configs))("a config %s: as by the host", async (name) => {
  await using home = await tempDir();
  await using other = await tempDir();
  const text = (at: TempDir) => JSON.stringify(configs[name]?.(entry(at)));
  for (const words of [[], ["echo", "--json"], ["bench_echo"], ["bench.echo"], ["nope"]]) {
    const ended = await call(home, text(home), ...words);
    // The flag makes it a call of the host's.
    const expected = await call(
      other,
      text(other),
      ...(words.length > 0 ? words : ["echo"]),
      "--no-user-config",
    );
    // Two servers write into one file.
    for (const one of [ended, expected]) one.heard = one.heard.split("\n").toSorted().join("\n");
    expect({ words, ...ended }).toEqual({ words, ...expected });
  }
});

const own: Record<string, (server: ReturnType<typeof entry>) => unknown> = {
  "of one": (server) => ({ mcpServers: { bench: server } }),
  "of two": (server) => ({ mcpServers: { bench: server, other: { command: "no-such" } } }),
  "with a rule": (server) => ({
    mcpServers: { bench: server },
    policy: [{ tools: "echo", do: "deny" }],
  }),
  "with a rule of one": (server) => ({
    mcpServers: { bench: { ...server, deniedTools: ["echo"] } },
  }),
  "with limits": (server) => ({ mcpServers: { bench: server }, limits: { pagesMax: 3 } }),
  "of a wrong one": () => ({ mcpServers: { bench: { command: 1 } } }),
  "of none": () => ({ mcpServers: {} }),
};

test.concurrent.each(Object.keys(own))("one's own config %s: as by the host", async (name) => {
  await using home = await tempDir();
  const server = entry(home);
  await mkdir(home.file("config", "mcphost"), { recursive: true });
  await mkdir(home.file("empty"));
  await Bun.write(
    home.file("config", "mcphost", "config.json"),
    JSON.stringify(own[name]?.(server)),
  );
  await Bun.write(home.file("mcp.json"), JSON.stringify({ mcpServers: { named: server } }));
  for (const [tool, ...words] of [
    ["echo"],
    ["bench_echo"],
    ["nope"],
    ["echo", "-c", home.file("mcp.json")],
    ["echo", "--", server.command, ...server.args],
  ])
    for (const known of ["unknown", "known"]) {
      const run = async (...flag: string[]) => {
        const line = mcphost("call", tool ?? "", "message=hi", ...flag, ...words);
        const { code, stdout, stderr } = await line.home(home.path).cwd(home.file("empty")).run();
        return { code, stdout, stderr };
      };
      // The flag makes it a call of the host's, and changes nothing else here.
      expect({ tool, words, known, ...(await run()) }).toEqual({
        tool,
        words,
        known,
        ...(await run("--strict")),
      });
    }
});

function configOf(server: object): string {
  return JSON.stringify({ mcpServers: { bench: server } });
}

test("a project's config comes before one's own, and is not trusted", async () => {
  await using home = await tempDir();
  await mkdir(home.file("config", "mcphost"), { recursive: true });
  await mkdir(home.file("project", "below"), { recursive: true });
  await Bun.write(home.file("config", "mcphost", "config.json"), configOf(entry(home)));
  const line = mcphost("call", "echo", "message=hi").home(home.path);
  expectRun(await line.cwd(home.file("project", "below")).run(), { stdout: "é hi\n" });
  for (const text of [configOf(entry(home)), ""]) {
    await Bun.write(home.file("project", ".mcp.json"), text);
    await Bun.file(home.file("heard")).delete();
    await Bun.write(home.file("heard"), "");
    const { code } = await line.cwd(home.file("project", "below")).run();
    expect(code).not.toBe(0);
    expect(await Bun.file(home.file("heard")).text()).toBe("");
  }
});

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

test("a config of one's own that is empty is an error", async () => {
  await using home = await tempDir();
  await mkdir(home.file("config", "mcphost"), { recursive: true });
  await Bun.write(home.file("config", "mcphost", "config.json"), "");
  await Bun.write(home.file("mcp.json"), configOf(entry(home)));
  const line = mcphost("call", "echo", "message=hi", "-c", home.file("mcp.json")).home(home.path);
  expectRun(await line.run(), { code: 2, stderr: /config\.json/ });
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
