/** Tokens and the start key of `mcphost serve`: where they come from, and who gets to see them. */
import { describe, expect, test } from "bun:test";
import { stat, writeFile } from "node:fs/promises";

import { bunAlone, mcphost, tempDir } from "../harness.ts";
import { serveProgram } from "./program-kit.ts";
import { one, plan, post, program, textOf } from "./serve-program-kit.ts";

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
