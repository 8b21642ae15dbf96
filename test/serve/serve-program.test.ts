/** `mcphost serve` as a program: ways to it, its signals, and what it leaves behind. */
import { describe, expect, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";

import { mcphost, tempDir } from "../harness.ts";
import { liveProcesses, nothingLeft, waitFor } from "../processes.ts";
import { pemPath } from "../transport/fetch-kit.ts";
import { serveProgram } from "./program-kit.ts";
import { one, post, textOf } from "./serve-program-kit.ts";

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

describe("ways to it", () => {
  test("in a pipe: the address on stdout, failed servers and the place of the key on stderr, no more", async () => {
    await using folder = await tempDir();
    const socket = folder.file("s.sock");
    const run = mcphost("serve", "--unix", socket, "-s", "gone=/nowhere/x", ...one);
    await using running = await run.start();
    // Until it listens there, it refuses.
    const health = () =>
      fetch("http://any/health", { unix: socket }).then(
        (answer) => answer.text(),
        () => "",
      );
    await waitFor(async () => (await health()).includes("server_start"));
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
