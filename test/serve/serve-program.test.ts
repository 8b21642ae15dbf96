/** `mcphost serve` as a program: its address, its settings, its signals, and what it leaves behind. */
import { describe, expect, test } from "bun:test";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bunAlone, mcphost, root, tempDir } from "../harness.ts";
import { tools } from "../host/kit.ts";
import { liveProcesses, nothingLeft, waitFor } from "../processes.ts";
import { pemPath } from "../transport/fetch-kit.ts";
import { serveProgram } from "./program-kit.ts";

const program = join(root, "test/fixtures/host/server.ts");
const plan = JSON.stringify({ tools: tools("echo", "env", "pid", "silent", "wait") });
const one = ["--", ...bunAlone, program, plan];

function post(url: string, tool: string, params: object, token?: string): Promise<Response> {
  return fetch(`${url}/tools`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ tool, params }),
  });
}

async function textOf(answer: Response | Promise<Response>): Promise<string> {
  return ((await (await answer).json()) as { plain_text_response: string }).plain_text_response;
}

describe("its end", () => {
  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)(
    "%s: running calls end, then it leaves with %i and nothing stays",
    async (signal, code) => {
      await using serve = await serveProgram(one);
      const { url } = serve;
      expect(await textOf(post(url, "echo", { x: 1 }))).toBe('{"x":1}');
      const running = post(url, "wait", { ms: 500 });
      await inFlight(url);
      serve.kill(signal);
      expect(await textOf(running)).toBe("waited");
      expect(await serve.exited).toBe(code);
      expect(await serve.stderr).toBe("");
      await nothingLeft(serve.home.path);
      expect(await readdir(serve.home.file("state/mcphost"))).toEqual(["store.db"]);
    },
  );

  test("a call without an end is told, within the bound", async () => {
    await using serve = await serveProgram(one);
    const running = post(serve.url, "silent", {});
    await inFlight(serve.url);
    const began = performance.now();
    serve.kill("SIGTERM");
    expect((await running).status).toBeGreaterThanOrEqual(200);
    expect(await serve.exited).toBe(143);
    expect(performance.now() - began).toBeLessThan(12_000);
    await nothingLeft(serve.home.path);
  });

  test("a signal that comes twice at once, as wrappers hand it on, is one", async () => {
    await using serve = await serveProgram(one);
    const running = post(serve.url, "wait", { ms: 500 });
    await inFlight(serve.url);
    serve.kill("SIGTERM");
    serve.kill("SIGTERM");
    serve.kill("SIGINT");
    expect(await textOf(running)).toBe("waited");
    expect([130, 143]).toContain(await serve.exited);
    expect(await serve.stderr).toBe("");
  });

  test("a second signal leaves at once", async () => {
    await using serve = await serveProgram(one);
    const running = post(serve.url, "silent", {}).catch(() => undefined);
    await inFlight(serve.url);
    const began = performance.now();
    serve.kill("SIGTERM");
    // What comes sooner is the same signal.
    await Bun.sleep(200);
    serve.kill("SIGTERM");
    expect(await serve.exited).toBe(143);
    expect(performance.now() - began).toBeLessThan(2500);
    await running;
    await nothingLeft(serve.home.path);
  });

  test("kill -9 leaves no server behind", async () => {
    await using serve = await serveProgram(one);
    await textOf(post(serve.url, "pid", {}));
    expect((await liveProcesses(serve.home.path)).length).toBeGreaterThan(1);
    serve.kill("SIGKILL");
    await serve.exited;
    await nothingLeft(serve.home.path);
  });

  test("the time that it is given is its end", async () => {
    await using serve = await serveProgram(["--max-time", "500ms", ...one]);
    expect(await serve.exited).toBe(4);
  });
});

describe("tokens and the start key", () => {
  test("the key lies in a file for our user alone, and opens what decides", async () => {
    await using serve = await serveProgram(one);
    expect(serve.keyFile).toBe(serve.home.file(`state/mcphost/serve-${serve.port}.key`));
    expect((await stat(serve.keyFile)).mode & 0o777).toBe(0o600);
    const key = (await Bun.file(serve.keyFile).text()).trim();
    expect(key).toMatch(/^[\w-]{43}$/);
    const ask = (token: string) =>
      fetch(`${serve.url}/servers`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask(key)).status).toBe(200);
    expect((await ask(`${key}x`)).status).toBe(401);
    const unasked = await fetch(`${serve.url}/servers/reload`, { method: "POST" });
    expect([unasked.status, await unasked.json()]).toMatchObject([
      401,
      {
        error: {
          message: "this needs the start key",
          hint: `send Authorization: Bearer KEY; it is in ~/state/mcphost/serve-${serve.port}.key`,
        },
      },
    ]);
    // Nobody is at a terminal: it is said nowhere else.
    serve.kill("SIGTERM");
    await serve.exited;
    expect(await serve.stderr).not.toContain(key);
  });

  test("where the key lies is said once where nobody is at a terminal", async () => {
    const { stderr } = await mcphost("serve", "--port", "0", "--max-time", "1s", ...one).run();
    const said =
      /^to decide and change things, send Authorization: Bearer KEY; it is in \/.*\/serve-\d+\.key$/gm;
    expect(stderr.match(said)).toHaveLength(1);
  });

  test("MCPHOST_TOKEN is asked for, and no server gets it", async () => {
    await using serve = await serveProgram(["--inherit-env", ...one], {
      MCPHOST_TOKEN: "secret-of-us",
    });
    expect((await fetch(`${serve.url}/tools`)).status).toBe(401);
    const env = await textOf(post(serve.url, "env", {}, "secret-of-us"));
    expect(env).toContain("XDG_STATE_HOME");
    expect(env).not.toContain("secret-of-us");
  });

  test("of a token that can be guessed it is said so, and not what it is", async () => {
    const long = "k7Pq2mZx9Rt4Wv8L";
    for (const [token, isShort] of [
      ["wasps", true],
      [long, false],
    ] as const) {
      await using serve = await serveProgram(one, { MCPHOST_TOKEN: token });
      serve.kill("SIGTERM");
      await serve.exited;
      const stderr = await serve.stderr;
      expect(/MCPHOST_TOKEN is short: it may be guessed/.test(stderr)).toBe(isShort);
      expect(stderr).not.toContain(token);
    }
  });

  test("a token file, with a warning where others can read it", async () => {
    await using folder = await tempDir();
    const file = folder.file("token");
    await writeFile(file, "secret-of-file\n", { mode: 0o644 });
    await using serve = await serveProgram(["--token-file", file, ...one]);
    expect((await fetch(`${serve.url}/tools`)).status).toBe(401);
    const headers = { authorization: "Bearer secret-of-file" };
    expect((await fetch(`${serve.url}/tools`, { headers })).status).toBe(200);
    serve.kill("SIGTERM");
    expect(await serve.exited).toBe(143);
    expect(await serve.stderr).toContain("can be read by others");
  });

  test("tokens of the config, filled in, each with its tools; their values are not shown", async () => {
    await using folder = await tempDir();
    const config = folder.file("c.json");
    const tokens = [
      { name: "ci", token: "${secret:ci}", tools: ["e*"] },
      { name: "me", token: "plain-secret" },
    ];
    const mcpServers = { a: { command: bunAlone[0], args: [...bunAlone.slice(1), program, plan] } };
    const serve = { tokens, origins: ["http://page.example"] };
    await writeFile(config, JSON.stringify({ mcpServers, serve }));
    const env = { MCPHOST_SECRET_CI: "secret-of-ci" };
    await using it = await serveProgram(["-c", config], env);
    expect((await post(it.url, "echo", {}, "wrong")).status).toBe(401);
    expect((await post(it.url, "echo", {}, "secret-of-ci")).status).toBe(200);
    expect((await post(it.url, "pid", {}, "secret-of-ci")).status).toBe(404);
    expect((await post(it.url, "pid", {}, "plain-secret")).status).toBe(200);
    const headers = { authorization: "Bearer plain-secret", origin: "http://page.example" };
    const answer = await fetch(`${it.url}/tools`, { headers });
    expect(answer.headers.get("access-control-allow-origin")).toBe("http://page.example");
    const shown = await mcphost("config", "--show", "-c", config).run();
    expect(shown.stdout).toContain("${secret:ci}");
    expect(shown.stdout).not.toContain("plain-secret");
  });
});

describe("what is wrong is said, and nothing starts", () => {
  test("an address for others without a token", () =>
    refused(2, /0\.0\.0\.0 is not a loopback.*\n.*MCPHOST_TOKEN/, "--host", "0.0.0.0"));

  test("a port that is taken", async () => {
    await using serve = await serveProgram(one);
    await refused(
      2,
      new RegExp(`port ${serve.port} of 127.0.0.1 is taken.*\n.*lsof -i :${serve.port}`),
      "--port",
      String(serve.port),
    );
    expect((await fetch(`${serve.url}/health`)).status).toBe(200);
  });

  test.each([
    ["--port", "x"],
    ["--port", "65536"],
    ["--port", "-1"],
    ["--origin", "page.example"],
    ["--origin", "http://page.example/path"],
    ["--cert", "cert.pem"],
    ["--token-file", "/nowhere/token"],
    ["--token", "two words"],
    ["--token", ""],
    ["--unix", "x.sock", "--port", "1"],
    ["stray"],
    ["--prot", "1"],
  ])("%s %s", (...args) => refused(2, /^mcphost: /, ...(args as string[])));

  test.each([
    ['{"port": "3003"}', "serve.port: expected a port, found a string"],
    ['{"port": 65536}', "serve.port: expected a port, from 0 to 65535"],
    ['{"origins": ["page.example"]}', "serve.origins[0]: expected an origin such as"],
    ['{"token": []}', "did you mean tokens?"],
    ['{"tokens": [{"name": "a", "token": "b", "tool": []}]}', "did you mean tools?"],
    ['{"tokens": [{"name": "a"}]}', "serve.tokens[0]: expected the key"],
    ['{"tokens": "x"}', "serve.tokens: expected an array of tokens"],
    ["[]", "serve: expected an object"],
  ])("config %s", async (serve, message) => {
    const run = await mcphost(
      "serve",
      "--config-json",
      `{"mcpServers": {}, "serve": ${serve}}`,
    ).run();
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(message);
  });

  test("what a found project says of it has no effect", async () => {
    await using folder = await tempDir();
    const serve = { host: "0.0.0.0", tokens: [{ name: "theirs", token: "known-to-them" }] };
    const mcpServers = { a: { command: bunAlone[0], args: [program, plan] } };
    await writeFile(folder.file("mcphost.json"), JSON.stringify({ mcpServers, serve }));
    const shown = await mcphost("config", "--show").cwd(folder.path).run();
    expect(shown.stdout).not.toContain("theirs");
    expect(shown.stdout + shown.stderr).toContain("its serve has no effect");
  });
});

describe("ways to it", () => {
  test("in a pipe: the address on stdout, failed servers and the place of the key on stderr, no more", async () => {
    await using folder = await tempDir();
    const socket = folder.file("s.sock");
    const run = mcphost("serve", "--unix", socket, "-s", "gone=/nowhere/x", ...one);
    await using running = await run.start();
    await waitFor(() => isThere(socket));
    const health = () =>
      fetch("http://any/health", { unix: socket }).then((answer) => answer.json());
    await waitFor(async () => JSON.stringify(await health()).includes("server_start"));
    expect(await textOf(postTo(socket))).toBe("{}");
    running.kill("SIGTERM");
    const { code, stdout, stderr } = await running.done;
    expect([code, stdout]).toEqual([143, `unix:${socket}\n`]);
    const [first, second, ...others] = stderr.trimEnd().split("\n").toSorted();
    expect(first).toMatch(/^mcphost: warning: server "gone" cannot be started: /);
    expect(second).toEndWith("/serve-s.sock.key");
    expect(others).toEqual([]);
    expect(await isThere(socket)).toBe(false);
  });

  test("TLS", async () => {
    const files = ["--cert", pemPath("server.pem"), "--key", pemPath("server.key.pem")];
    await using serve = await serveProgram([...files, ...one]);
    expect(serve.url).toStartWith("https://127.0.0.1:");
    const ca = await Bun.file(pemPath("ca.pem")).text();
    expect((await fetch(`${serve.url}/health`, { tls: { ca } })).status).toBe(200);
  });

  test("on a terminal: the key, servers and calls as they happen", async () => {
    await using screen = await mcphost("serve", "--port", "0", ...one).terminal();
    await screen.shows(/send Authorization: Bearer\s+[\w-]{43}/);
    await screen.shows(/\[server\] starting\r\n/);
    await screen.shows(/\[server\] at rest until it is used\r\n/);
    const [, url] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(screen.text())!;
    await textOf(post(url!, "echo", {}));
    await screen.shows(/\[server\] echo completed, \d+ ms\r\n/);
    screen.type("\u0003");
    expect(await screen.exited).toBe(130);
    await nothingLeft(screen.marker);
  });
});

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** It says what is wrong, and starts nothing. */
async function refused(code: number, stderr: RegExp, ...args: string[]): Promise<void> {
  const run = await mcphost("serve", ...args, ...one).run();
  expect([run.code, run.stdout]).toEqual([code, ""]);
  expect(run.stderr).toMatch(stderr);
  expect(await liveProcesses(run.marker)).toEqual([]);
}

/** Waits until a call runs. */
async function inFlight(url: string): Promise<void> {
  await waitFor(async () =>
    (await (await fetch(`${url}/metrics`)).text()).includes('in_flight{server="server"} 1'),
  );
}

function postTo(unix: string): Promise<Response> {
  return fetch("http://any/tools", {
    unix,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ tool: "server_echo", params: {} }),
  });
}
