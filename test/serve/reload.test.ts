/** The config of `serve` read again: by its files, by a request, by a hang-up; what changes, and what stays. */
import { describe, expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";

import { mcphost, tempDir } from "../harness.ts";
import { liveProcesses, nothingLeft, waitFor } from "../processes.ts";
import { type Configured, entry, logged, serveConfig } from "./config-kit.ts";
import { collect, session } from "./gateway-kit.ts";
import { serveProgram } from "./program-kit.ts";

const setsid = Bun.which("setsid");

function over(servers: Record<string, object>, more: object = {}): object {
  return { mcpServers: servers, ...more };
}

function tokens(...names: string[]): object {
  return { serve: { tokens: names.map((name) => ({ name, token: `secret-of-${name}` })) } };
}

function eagerOnes(round: string): object {
  const lifecycle = "eager";
  return over({ a: entry({}, { lifecycle }), b: entry({}, { lifecycle, env: { ROUND: round } }) });
}

async function reload(it: Configured) {
  return await it.decide("/servers/reload", { method: "POST" });
}

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

test("it starts without any server, says so, and the first is added over HTTP", async () => {
  await using folder = await tempDir();
  const file = folder.file("c.json");
  for (const config of [over({}), over({ a: entry({}, { disabled: true }) })]) {
    await writeFile(file, JSON.stringify(config));
    await using serve = await serveProgram(["-c", file]);
    const headers = { authorization: `Bearer ${(await Bun.file(serve.keyFile).text()).trim()}` };
    const before = await fetch(`${serve.url}/servers`, { headers });
    expect(await (await fetch(`${serve.url}/tools`)).json()).toEqual([]);
    const added = await fetch(`${serve.url}/servers`, {
      method: "POST",
      headers: {
        ...headers,
        "if-match": before.headers.get("etag") ?? "",
        "content-type": "application/json",
      },
      body: JSON.stringify({ name: "b", server: entry() }),
    });
    expect(added.status).toBe(201);
    serve.kill("SIGTERM");
    expect(await serve.exited).toBe(143);
    expect(await serve.stderr).toMatch(/"warn".*no server is there yet: POST \/servers adds one/);
  }
});

test("B074: however often it is read again, there is one process of each server", async () => {
  await using it = await serveConfig(eagerOnes("0"));
  const servers = async () =>
    (await liveProcesses(it.home.path)).filter(({ command }) => command.includes("host/server.ts"));
  await waitFor(async () => (await servers()).length === 2);
  const pid = await it.call("a_pid");
  for (const round of ["1", "2", "3"]) {
    await it.write(eagerOnes(round));
    expect((await reload(it)).status).toBe(200);
  }
  await it.shows("a", "b");
  await waitFor(async () => (await servers()).length === 2);
  expect((await it.health()).servers.map(({ state }: any) => state)).toEqual(["ready", "ready"]);
  const pids = (await servers()).map((one) => String(one.pid));
  expect(pids).toContain(pid);
  expect(pids).toContain(await it.call("b_pid"));
});

describe("what of a config is taken up", () => {
  test("rules and profiles at once; what needs a new start is said", async () => {
    const servers = { a: entry() };
    await using it = await serveConfig(over(servers));
    await it.write(
      over(servers, {
        policy: [{ tools: "echo", do: "deny", reason: "not any more" }],
        profiles: { few: { tools: ["pid"] } },
        serve: { port: 1, origins: ["http://page.example"] },
      }),
    );
    await waitFor(async () => (await it.ask("/tools?profile=few")).status === 200);
    expect(await it.call("echo")).toContain("not any more");
    const listed = (await (await it.ask("/tools?profile=few")).json()) as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(["pid"]);
    const lines = await logged(it);
    expect(lines).toContain("serve.port of the config counts from the next start of serve on");
    expect(lines).toContain("serve.origins of the config counts");
  });

  test("tokens: one that is gone opens nothing any more", async () => {
    await using it = await serveConfig(over({ a: entry() }, tokens("x", "y")));
    const status = async (name: string) =>
      (await it.ask("/tools", { token: `secret-of-${name}` })).status;
    expect([await status("x"), await status("y"), await status("z")]).toEqual([200, 200, 401]);
    await it.write(over({ a: entry() }, tokens("y", "z")));
    await waitFor(async () => (await status("z")) === 200);
    expect([await status("x"), await status("y")]).toEqual([401, 200]);
    expect((await it.health()).servers).toHaveLength(1);
    // The key of the start stays.
    expect((await reload(it)).status).toBe(200);
  });

  test("where others may listen, the last token cannot go", async () => {
    const serve = { host: "0.0.0.0", tokens: [{ name: "x", token: "secret-of-x" }] };
    await using it = await serveConfig(over({ a: entry() }, { serve }));
    await it.write(over({ b: entry() }, { serve: { host: "0.0.0.0" } }));
    await waitFor(async () => (await it.health()).config !== undefined);
    expect((await it.health()).config.error.message).toContain("0.0.0.0 is not a loopback address");
    const url = `http://127.0.0.1:${it.port}/tools`;
    expect((await fetch(url)).status).toBe(401);
    const { servers } = await it.health();
    expect(servers).toMatchObject([{ name: "a" }]);
  });

  test("an entry of a file that was found is named, and not started without trust", async () => {
    await using folder = await tempDir();
    await mkdir(folder.file("config/mcphost"), { recursive: true });
    await writeFile(
      folder.file("config/mcphost/config.json"),
      JSON.stringify(over({ mine: entry() })),
    );
    await using serve = await serveProgram([], { XDG_CONFIG_HOME: folder.file("config") });
    const key = (await Bun.file(serve.keyFile).text()).trim();
    const starts = folder.file("starts");
    const theirs = over({ theirs: entry({ starts }) }, { serve: { host: "0.0.0.0" } });
    await writeFile(serve.home.file("mcphost.json"), JSON.stringify(theirs));
    const answer = await fetch(`${serve.url}/servers/reload`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await answer.json()).toMatchObject({ added: ["theirs"], kept: ["mine"] });
    await waitFor(async () => {
      const { servers } = (await (await fetch(`${serve.url}/health`)).json()) as { servers: any[] };
      const { state, error } = servers.find(({ name }) => name === "theirs");
      return state === "failed" && error.code === "denied";
    });
    expect(await Bun.file(starts).exists()).toBe(false);
    const lines = await logged(serve);
    expect(lines).toContain(
      `server "theirs" of mcphost.json was found, not named, and is not trusted`,
    );
    expect(lines).toContain("its serve has no effect");
  });
});

test("--trust is a word about what was there, and not about what is found later", async () => {
  await using folder = await tempDir();
  const [old, later] = [folder.file("old"), folder.file("later")];
  const project = (...names: string[]) =>
    JSON.stringify(
      over(
        Object.fromEntries(
          names.map((name) => [name, entry({ starts: name === "a" ? old : later })]),
        ),
      ),
    );
  await using serve = await serveProgram(["--trust"], {}, [
    "sh",
    "-c",
    `echo '${project("a")}' > mcphost.json; exec "$0" "$@"`,
  ]);
  await waitFor(() => Bun.file(old).exists());
  await writeFile(serve.home.file("mcphost.json"), project("a", "b"));
  await waitFor(async () => {
    const { servers } = (await (await fetch(`${serve.url}/health`)).json()) as { servers: any[] };
    return servers.find(({ name }) => name === "b")?.error?.code === "denied";
  });
  expect(await Bun.file(later).exists()).toBe(false);
});

describe("who asks for it", () => {
  test("POST /servers/reload needs the key, says what changed, or what is wrong", async () => {
    await using it = await serveConfig(over({ a: entry(), b: entry() }));
    expect((await it.ask("/servers/reload", { method: "POST" })).status).toBe(401);
    expect((await it.ask("/servers/reload", { method: "POST", token: "x" })).status).toBe(401);
    const same = await reload(it);
    expect([same.status, same.body]).toMatchObject([
      200,
      { added: [], removed: [], changed: [], adjusted: [], kept: ["a", "b"] },
    ]);
    expect(same.etag).toBe(`"${same.body.revision}"`);
    await it.write(
      over({ a: entry({}, { deniedTools: ["wait"] }), b: entry({}, { cwd: "/" }), c: entry() }),
    );
    await it.shows("a", "b", "c");
    await it.write(`{"mcpServers": {"a": {}`);
    const wrong = await reload(it);
    expect([wrong.status, wrong.body.error.code]).toEqual([409, "config"]);
    expect(wrong.body.error.message).toMatch(/servers\.json:1:\d+: expected/);
    // Where the file lies is nobody's business.
    expect(JSON.stringify(wrong.body)).not.toContain(it.folder.path);
  });

  test("a token for some tools alone changes nothing", async () => {
    const serve = { tokens: [{ name: "ci", token: "secret-of-ci", tools: ["*"] }] };
    await using it = await serveConfig(over({ a: entry() }, { serve }));
    const bound = { token: "secret-of-ci" };
    const reloaded = await it.decide("/servers/reload", { method: "POST", ...bound });
    expect([reloaded.status, reloaded.body.error.code]).toEqual([403, "denied"]);
    const added = await it.decide("/servers", { json: { name: "b", server: entry() }, ...bound });
    expect(added.status).toBe(403);
  });

  test.skipIf(setsid === null)("SIGHUP, where no terminal can hang up", async () => {
    await using it = await serveConfig(over({ a: entry() }), { within: [setsid!] });
    const pid = await it.call("pid");
    // What no watch would tell.
    it.kill("SIGHUP");
    await it.write(over({ a: entry(), b: entry() }));
    it.kill("SIGHUP");
    await it.shows("a", "b");
    expect(await it.call("a_pid")).toBe(pid);
    expect(await logged(it)).toBe("");
    expect(await it.exited).toBe(143);
  });

  test("SIGHUP on a terminal ends it", async () => {
    await using folder = await tempDir();
    await writeFile(folder.file("c.json"), JSON.stringify(over({ a: entry() })));
    const run = mcphost("serve", "--json", "--port", "0", "-c", folder.file("c.json"));
    await using screen = await run.terminal();
    await screen.shows(/"pid":\d+/);
    process.kill(Number(/"pid":(\d+)/.exec(screen.text())![1]), "SIGHUP");
    expect(await screen.exited).toBe(129);
    await nothingLeft(screen.marker);
  });
});

describe("clients of the gateway", () => {
  test("are told that lists changed, once for all, and find what there is", async () => {
    await using it = await serveConfig(over({ a: entry() }));
    const one = await session(it as never);
    const two = await session(it as never, { path: "/mcp/a" });
    const stream = await one.ask({ headers: { accept: "text/event-stream" } });
    const streamOfA = await two.ask({ headers: { accept: "text/event-stream" } }, "/mcp/a");
    const [told, toldOfA] = [collect(stream), collect(streamOfA)];
    await it.write(over({ a: entry(), b: entry() }));
    await waitFor(() => told.filter(({ method }) => method?.endsWith("list_changed")).length >= 3);
    const methods = told.map(({ method }) => method).toSorted();
    expect(methods).toEqual([
      "notifications/prompts/list_changed",
      "notifications/resources/list_changed",
      "notifications/tools/list_changed",
    ]);
    const answer = await one.request("tools/list");
    const { result } = (await answer.json()) as any;
    expect(result.tools.map(({ name }: any) => name)).toContain("b_echo");
    expect(toldOfA).toEqual([]);
  });
});
