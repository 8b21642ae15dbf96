/** The config of `serve` read again when its file changes: what is started and stopped, and what stays. */
import { describe, expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";

import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { entry, logged, serveConfig } from "./config-kit.ts";
import { serveProgram } from "./program-kit.ts";
import { over } from "./reload-kit.ts";

describe("a changed file", () => {
  test.each(["write", "replace"] as const)(
    "%s: only what changed is started or stopped",
    async (how) => {
      await using it = await serveConfig(over({ a: entry(), gone: entry() }));
      const pid = await it.call("a_pid");
      await it[how](over({ a: entry(), b: entry() }));
      await it.shows("a", "b");
      expect(await it.call("a_pid")).toBe(pid);
      expect(await it.call("b_echo")).toBe("{}");
      expect(await it.call("gone_echo")).toStartWith("404 ");
      // And once more: what was put in its place is watched as well.
      await it[how](over({ a: entry() }));
      await it.shows("a");
      expect(await it.call("pid")).toBe(pid);
      expect((await it.ask("/mcp/b", { json: {} })).status).toBe(404);
      expect(await logged(it)).toBe("");
    },
  );

  test("where the file is a link, what it points to is watched, and the link as well", async () => {
    await using folder = await tempDir();
    await mkdir(folder.file("one"));
    await mkdir(folder.file("two"));
    for (const place of ["one", "two"])
      await writeFile(folder.file(`${place}/c.json`), JSON.stringify(over({ [place]: entry() })));
    await symlink(folder.file("one/c.json"), folder.file("c.json"));
    await using serve = await serveProgram(["-c", folder.file("c.json")]);
    const names = async () => {
      const answer = await fetch(`${serve.url}/health`);
      const { servers } = (await answer.json()) as { servers: { name: string }[] };
      return servers.map(({ name }) => name).join();
    };
    await writeFile(folder.file("one/c.json"), JSON.stringify(over({ other: entry() })));
    await waitFor(async () => (await names()) === "other");
    await Bun.spawn(["ln", "-sfn", folder.file("two/c.json"), folder.file("c.json")]).exited;
    await waitFor(async () => (await names()) === "two");
  });

  test("a server that got another name is another; one that was renamed back runs again", async () => {
    await using it = await serveConfig(over({ a: entry(), old: entry() }));
    const running = it.call("old_wait", { ms: 300 });
    await waitFor(async () =>
      (await (await it.ask("/metrics")).text()).includes(`in_flight{server="old"} 1`),
    );
    await it.write(over({ a: entry(), renamed: entry() }));
    await it.shows("a", "renamed");
    expect(await running).toBe("waited");
    expect(await it.call("renamed_echo")).toBe("{}");
    expect(await it.call("old_echo")).toStartWith("404 ");
    await it.write(over({ a: entry(), old: entry() }));
    await it.shows("a", "old");
    expect(await it.call("old_echo")).toBe("{}");
  });

  test("a broken file changes nothing, and why is said; mended, it counts", async () => {
    await using it = await serveConfig(over({ a: entry(), b: entry() }));
    const pid = await it.call("a_pid");
    await it.write(`{\n  "mcpServers": {`);
    await waitFor(async () => (await it.health()).config !== undefined);
    const { config, servers } = await it.health();
    expect(config.error.code).toBe("config");
    expect(config.error.message).toMatch(/servers\.json:2:18: expected/);
    expect(servers.map(({ name }: any) => name)).toEqual(["a", "b"]);
    expect(await it.call("a_pid")).toBe(pid);
    await it.write(over({ a: entry() }));
    await it.shows("a");
    // It is taken up in steps.
    await waitFor(async () => (await it.health()).config === undefined);
    expect(await it.call("pid")).toBe(pid);
    expect(await logged(it)).toMatch(/the config stays as it was: .*servers\.json:2:18/);
  });

  test("a file that is gone changes nothing until it is there again", async () => {
    await using it = await serveConfig(over({ a: entry() }));
    await Bun.file(it.file).delete();
    await waitFor(async () => (await it.health()).config !== undefined);
    expect(await it.call("echo")).toBe("{}");
    await it.write(over({ b: entry() }));
    await it.shows("b");
  });

  test("a bad entry among good ones: its server stays what it was", async () => {
    await using it = await serveConfig(over({ a: entry(), b: entry() }));
    const pid = await it.call("b_pid");
    await it.write(over({ a: entry(), b: { command: 1 }, c: entry() }));
    await it.shows("a", "b", "c");
    const { failed } = (await it.health()).config;
    expect(failed).toMatchObject([
      { name: "b", reason: expect.stringContaining("mcpServers.b.command") },
    ]);
    expect(await it.call("b_pid")).toBe(pid);
    expect(await logged(it)).toMatch(/server "b" of .* stays as it was: mcpServers\.b\.command/);
  });

  test("64 calls in flight on one server, while all around it changes: none of them fails", async () => {
    await using it = await serveConfig(over({ a: entry({}, { timeoutMs: 20_000 }) }));
    const pid = await it.call("pid");
    const end = new AbortController();
    const results: string[] = [];
    const client = async () => {
      while (!end.signal.aborted) results.push(await it.call("a/wait", { ms: 50 }));
    };
    const clients = Array.from({ length: 64 }, client);
    for (let round = 0; round < 2; round++) {
      await it.write(over({ a: entry({}, { timeoutMs: 20_000 }), b: entry() }));
      await it.shows("a", "b");
      await it.replace(
        over({ a: entry({}, { timeoutMs: 20_000 }), b: entry({}, { env: { A: `${round}` } }) }),
      );
      await waitFor(async () => (await it.call("b_echo")) === "{}");
      await it.write("{");
      await waitFor(async () => (await it.health()).config?.error !== undefined);
      await it.write(over({ a: entry({}, { timeoutMs: 20_000 }), c: entry() }));
      await it.shows("a", "c");
      await it.replace(over({ a: entry({}, { timeoutMs: 20_000 }) }));
      await it.shows("a");
    }
    end.abort();
    await Promise.all(clients);
    expect(results.length).toBeGreaterThan(64);
    expect(new Set(results)).toEqual(new Set(["waited"]));
    expect(await it.call("pid")).toBe(pid);
  }, 30_000);
});
