/** What of a config that is read again is taken up: servers, rules, tokens, and what waits for trust. */
import { describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";

import { tempDir } from "../harness.ts";
import { liveProcesses, waitFor } from "../processes.ts";
import { entry, logged, serveConfig } from "./config-kit.ts";
import { serveProgram } from "./program-kit.ts";
import { over, reload } from "./reload-kit.ts";

function tokens(...names: string[]): object {
  return { serve: { tokens: names.map((name) => ({ name, token: `secret-of-${name}` })) } };
}

function eagerOnes(round: string): object {
  const lifecycle = "eager";
  return over({ a: entry({}, { lifecycle }), b: entry({}, { lifecycle, env: { ROUND: round } }) });
}

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
