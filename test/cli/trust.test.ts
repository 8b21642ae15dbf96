import { describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";

import { expectRun, mcphost, type TempDir, tempDir } from "../harness.ts";

/** A project with a config that was found, and a home of its own. */
async function project(servers: object): Promise<TempDir> {
  const dir = await tempDir();
  await mkdir(dir.file("p"));
  await write(dir, servers);
  return dir;
}

async function write(dir: TempDir, servers: object): Promise<void> {
  await Bun.write(dir.file("p", ".mcp.json"), JSON.stringify({ mcpServers: servers }));
}

function trust(dir: TempDir, ...args: string[]) {
  return mcphost("trust", ...args)
    .home(dir.path)
    .cwd(dir.file("p"));
}

const entry = {
  command: "touch",
  args: ["started", "with space", "$(x)"],
  env: { API_KEY: "s3cret-value" },
  cwd: "/somewhere",
};

describe("trust", () => {
  test("shows the whole entry, and takes nothing for granted where nobody can be asked", async () => {
    await using dir = await project({ one: entry });
    const run = await trust(dir).run();
    expect(run.code).toBe(5);
    expect(run.stdout).toBe("");
    for (const part of [
      "touch started 'with space' '$(x)'",
      "API_KEY",
      "/somewhere",
      dir.file("p", ".mcp.json"),
      "--yes",
    ])
      expect(run.stderr).toContain(part);
    expect(run.stderr).not.toContain("s3cret-value");
    expectRun(await trust(dir, "--list").run(), {
      stdout: `waiting one in ${dir.file("p", ".mcp.json")}\n`,
    });
    expect(await Bun.file("/somewhere/started").exists()).toBe(false);
  });

  test("--yes trusts what it shows, as it stands now", async () => {
    await using dir = await project({ one: entry, two: { command: "true" } });
    const yes = await trust(dir, "--yes").run();
    expectRun(yes, { stdout: "trusted one\ntrusted two\n", stderr: /touch started/ });
    expectRun(await trust(dir).run(), { stdout: "nothing here waits for trust\n" });
    // Any change asks again: an argument, a variable's value, and for that entry alone.
    await write(dir, { one: { ...entry, env: { API_KEY: "other" } }, two: { command: "true" } });
    const list = JSON.parse((await trust(dir, "--list", "--json").run()).stdout);
    const file = dir.file("p", ".mcp.json");
    expect(list).toMatchObject([
      { state: "trusted", name: "two" },
      { state: "waiting", name: "one", file, changed: true },
    ]);
    expectRun(await trust(dir, "--list").run(), {
      stdout:
        /^trusted two .*\nwaiting one in .*, changed since it was trusted on \d{4}-\d\d-\d\d\n$/,
    });
    expectRun(await trust(dir).run(), { code: 5, stderr: /^server "one"[^]*not trusted: one, / });
  });

  test("with names it is about these alone", async () => {
    await using dir = await project({ one: entry, two: { command: "true" } });
    expectRun(await trust(dir, "two").run(), {
      code: 5,
      stderr: /^server "two"[^]*not trusted: two, [^]*--yes/,
    });
    expectRun(await trust(dir, "two", "--yes").run(), {
      stdout: "trusted two\n",
      stderr: /^server "two"/,
    });
    expectRun(await trust(dir, "--list").run(), { stdout: /^trusted two .*\nwaiting one .*\n$/ });
    expectRun(await trust(dir, "two").run(), { stdout: "two does not wait for trust\n" });
    expectRun(await trust(dir, "oen", "--yes").run(), { code: 2, stderr: /did you mean one\?/ });
    expectRun(await trust(dir, "else").run(), {
      code: 2,
      stderr: /\n {2}the servers are one, two\n$/,
    });
    await using screen = await trust(dir, "one").terminal();
    await screen.shows(/server "one"[^]*Trust it\?/);
    screen.type("y");
    expect(await screen.exited).toBe(0);
  });

  test("--revoke takes it back, and names the nearest where there is none", async () => {
    await using dir = await project({ one: entry });
    await trust(dir, "--yes").run();
    expectRun(await trust(dir, "--list").run(), {
      stdout: new RegExp(`^trusted one in ${dir.file("p")}, since \\d{4}-\\d\\d-\\d\\d\\n$`),
    });
    expectRun(await trust(dir, "--revoke", "oen").run(), { code: 2, stderr: /did you mean one\?/ });
    expectRun(await trust(dir, "--revoke", "one").run(), {
      stdout: `revoked one in ${dir.file("p")}\n`,
    });
    expectRun(await trust(dir).run(), { code: 5, stderr: /not trusted: one/ });
  });

  test("programs that trust and revoke at once lose nothing", async () => {
    await using dir = await tempDir();
    const names = Array.from({ length: 6 }, (_, index) => `s${index}`);
    for (const name of names)
      await Bun.write(
        dir.file(name, ".mcp.json"),
        JSON.stringify({ mcpServers: { [name]: { command: "true" } } }),
      );
    const all = async (...words: string[]) => {
      const runs = names.map((name) =>
        mcphost("trust", ...words.map((word) => word.replace("NAME", name)))
          .cwd(dir.file(name))
          .home(dir.path)
          .run(),
      );
      expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(names.map(() => 0));
    };
    const listed = async () =>
      (await mcphost("trust", "--list").cwd(dir.path).home(dir.path).run()).stdout;
    await all("--yes");
    expect((await listed()).match(/^trusted s\d /gm)).toHaveLength(names.length);
    await all("--revoke", "NAME");
    expect(await listed()).toMatch(/^nothing is trusted/);
  }, 30_000);

  test("asks for each on a terminal; no is what Enter gives", async () => {
    await using dir = await project({ one: entry, two: { command: "true" } });
    await using screen = await trust(dir).terminal();
    await screen.shows(/touch started[^]*Trust it\?/);
    screen.type("y");
    await screen.shows(/server "two"[^]*Trust it\?/);
    screen.type("\r");
    expect(await screen.exited).toBe(5);
    expect(screen.text()).toContain("trusted one");
    expectRun(await trust(dir, "--list").run(), { stdout: /^trusted one .*\nwaiting two .*\n$/ });
  });

  test("Ctrl-C at the question trusts nothing", async () => {
    await using dir = await project({ one: entry });
    await using screen = await trust(dir).terminal();
    await screen.shows(/Trust it\?/);
    screen.type("\u0003");
    expect(await screen.exited).toBe(130);
    expectRun(await trust(dir, "--list").run(), { stdout: /^waiting one/ });
  });

  test("control characters in an entry cannot forge what is shown", async () => {
    const args = ["\u001b[2K\u001b[1A\r", 'a\r\nserver "safe"', "\u202e"];
    await using dir = await project({ one: { command: "evil", args } });
    const run = await trust(dir).run();
    expect(run.code).toBe(5);
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    expect(run.stderr).not.toMatch(/[\u001b\r\u202e]/);
    expect(run.stderr).not.toMatch(/^\s*server "safe"/m);
    expect(run.stderr).toContain("\\u001b[2K");
  });

  test("a named config and the user's own need none", async () => {
    await using dir = await tempDir();
    await mkdir(dir.file("config", "mcphost"), { recursive: true });
    const own = JSON.stringify({ mcpServers: { mine: { command: "true" } } });
    await Bun.write(dir.file("config", "mcphost", "config.json"), own);
    const run = await mcphost("trust").home(dir.path).cwd(dir.path).run();
    expectRun(run, { stdout: "nothing here waits for trust\n" });
    const list = await mcphost("trust", "--list").home(dir.path).cwd(dir.path).run();
    expectRun(list, { stdout: "nothing is trusted, and nothing here waits for trust\n" });
  });

  test("one that cannot be kept is said, not pretended", async () => {
    await using dir = await project({ one: entry });
    await Bun.write(dir.file("state"), "a file where a folder belongs");
    expectRun(await trust(dir, "--yes").run(), { code: 8, stderr: /could not be kept/ });
  });

  test("takes one thing at a time", async () => {
    for (const args of [
      ["--yes", "--list"],
      ["--list", "name"],
      ["--list", "--revoke", "x"],
    ])
      expectRun(await mcphost("trust", ...args).run(), { code: 2, stderr: /trust takes one of/ });
  });
});
