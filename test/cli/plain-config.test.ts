/** A plain call by a config file: started, spoken with and told of as by the host, or left to it. */
import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";

import { expectRun, mcphost, type TempDir, tempDir } from "../harness.ts";
import { call, configOf, entry } from "./plain-config-kit.ts";

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

test("a config of one's own that is empty is an error", async () => {
  await using home = await tempDir();
  await mkdir(home.file("config", "mcphost"), { recursive: true });
  await Bun.write(home.file("config", "mcphost", "config.json"), "");
  await Bun.write(home.file("mcp.json"), configOf(entry(home)));
  const line = mcphost("call", "echo", "message=hi", "-c", home.file("mcp.json")).home(home.path);
  expectRun(await line.run(), { code: 2, stderr: /config\.json/ });
  expect(await Bun.file(home.file("heard")).exists()).toBeFalse();
});
