/** Reported faults of the environment that a config gives a server, by what servers see. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { seen } from "./config-kit.ts";
import { config, entry } from "./kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("B010 the environment of a server", () => {
  const base = { LANG: "C.UTF-8", TZ: "UTC", MY_SECRET: "not for servers" };

  test("without env it is the small base", async () => {
    const env = await seen({}, "env", base);
    expect(env).toMatchObject({
      LANG: "C.UTF-8",
      TZ: "UTC",
      PATH: expect.any(String),
      HOME: expect.any(String),
    });
    expect(Object.keys(env)).not.toContain("MY_SECRET");
  });

  test("one variable takes none away", async () => {
    expect(await seen({ env: { A: "1" } }, "env", base)).toMatchObject({
      A: "1",
      PATH: expect.any(String),
      HOME: expect.any(String),
      LANG: "C.UTF-8",
    });
  });

  test("numbers and booleans are texts as written, null takes away", async () => {
    const server = entry("plain.tells");
    const json = `{"mcpServers":{"s":{"command":${JSON.stringify(server.command)},"args":${JSON.stringify(server.args)},"env":{"N":1,"F":1.10,"BIG":12345678901234567890,"T":true,"X":false,"TZ":null,"E":"","U":"é ü"}}}}`;
    const run = await mcphost("call", "env", "--config-json", json).env(base).run();
    const env = JSON.parse(run.stdout);
    expect(env).toMatchObject({
      N: "1",
      F: "1.10",
      BIG: "12345678901234567890",
      T: "true",
      X: "false",
      E: "",
      U: "é ü",
    });
    expect(Object.keys(env)).not.toContain("TZ");
  });

  test("PATH of its own is the whole PATH", async () => {
    expect(await seen({ env: { PATH: "/x" } }, "env", base)).toMatchObject({
      PATH: "/x",
      LANG: "C.UTF-8",
    });
  });

  test.each([
    ["a name with =", { "BAD=K": "v" }, /BAD=K/],
    ["an empty name", { "": "v" }, /empty|name/],
    ["a name with NUL", { "A\u0000B": "v" }, /NUL/],
    ["a value with NUL", { A: "a\u0000b" }, /A.*NUL/],
    ["an object", { A: {} }, /A.*found an object/],
    ["a list", { A: [1] }, /A.*found an array/],
  ])("%s is refused by name, and others start", async (_, env, said) => {
    const servers = { bad: entry("plain.tells", { env }), good: entry("plain.tells") };
    const run = await mcphost("tools", ...config(servers)).run();
    expectRun(run, { code: 2, stdout: /^echo/, stderr: said });
    expect(run.stderr).toContain("bad");
  });

  test("--env and --inherit-env widen it", async () => {
    const words = ["call", "env", ...config({ s: entry("plain.tells", { env: { A: "1" } }) })];
    const given = await mcphost(...words, "--env", "MY_SECRET", "--env", "A=2")
      .env(base)
      .run();
    expect(JSON.parse(given.stdout)).toMatchObject({ MY_SECRET: "not for servers", A: "2" });
    const all = await mcphost(...words, "--inherit-env")
      .env(base)
      .run();
    expect(JSON.parse(all.stdout)).toMatchObject({ MY_SECRET: "not for servers", A: "1" });
  });
});
