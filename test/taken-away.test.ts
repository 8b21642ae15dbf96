/** What lasts goes on when its program is taken away: by an update, or by whoever cleans up temporary folders. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { pack } from "./build.ts";
import { bundle } from "./bundle.ts";
import { bunAlone, type TempDir, tempDir } from "./harness.ts";
import { waitFor } from "./processes.ts";

setDefaultTimeout(60_000);

const echo = ["--", ...bunAlone, join(import.meta.dir, "../examples/echo.ts")];

test("serve", async () => {
  await using dir = await tempDir();
  await using it = await begun(dir, ["serve", "--port", "0", "--ask-tool", "slow", ...echo]);
  const url = it.stdout().trim();
  await takenAway(dir);
  const answer = async (path: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const init = body && { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(url + path, init);
    return { status: response.status, body: (await response.json()) as any };
  };
  expect(await answer("/tools")).toMatchObject({ status: 200, body: { length: 4 } });
  expect(await answer("/openapi.json")).toMatchObject({ status: 200 });
  expect((await answer("/tools/add", { a: 2, b: 40 })).body.structuredContent).toEqual({ sum: 42 });
  const unfit = { code: "usage", message: 'add: argument a: expected number, got "x"' };
  expect((await answer("/tools/add", { a: "x", b: 1 })).body.error).toMatchObject(unfit);
  const greeting = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: client };
  const greeted = { jsonrpc: "2.0", id: 1, method: "initialize", params: greeting };
  const headers = { accept: "application/json, text/event-stream" };
  const options = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
  const legacy = await fetch(`${url}/mcp`, { ...options, body: JSON.stringify(greeted) });
  expect(await legacy.json()).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
  const asked = fetch(`${url}/tools/slow`, {
    ...options,
    headers: { ...options.headers, prefer: "respond-async" },
    body: "{}",
  });
  expect((await asked).status).toBe(202);
});

test("gateway", async () => {
  await using dir = await tempDir();
  await using it = await begun(dir, ["gateway", ...echo]);
  await takenAway(dir);
  const ask = async (id: number, method: string, params: object) => {
    it.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const answerOf = () =>
      it
        .stdout()
        .split("\n")
        .find((line) => line.includes(`"id":${id},`));
    await waitFor(
      () => answerOf() !== undefined,
      () => `${method}: ${it.stderr()}`,
    );
    return JSON.parse(answerOf()!);
  };
  const greeting = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: client };
  expect(await ask(1, "initialize", greeting)).toHaveProperty("result");
  expect((await ask(2, "tools/list", {})).result.tools).toHaveLength(4);
  const call = { name: "add", arguments: { a: 2, b: 40 } };
  expect((await ask(3, "tools/call", call)).result.content).toEqual([{ type: "text", text: "42" }]);
});

// --- internal ---

const client = { name: "test", version: "1" };

/** Our program, built into a folder that is its own, once it has said where it is, or loaded all. */
async function begun(dir: TempDir, args: string[]) {
  await bundle(dir.file("dist"));
  await pack(dir.file("dist"));
  const program = [...bunAlone, dir.file("dist/mcphost.js"), "--log-level", "debug", ...args];
  const proc = Bun.spawn(program, {
    cwd: dir.path,
    env: { PATH: process.env["PATH"], HOME: dir.path },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const heard = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of proc[name]) heard[name] += decoder.decode(chunk, { stream: true });
    })();
  await waitFor(
    () => heard.stderr.includes("the program is kept in memory"),
    () => heard.stderr,
    20_000,
  );
  return {
    stdout: () => heard.stdout,
    stderr: () => heard.stderr,
    write: (text: string) => {
      void proc.stdin.write(text);
      void proc.stdin.flush();
    },
    async [Symbol.asyncDispose]() {
      proc.kill();
      await proc.exited;
    },
  };
}

async function takenAway(dir: TempDir): Promise<void> {
  await rm(dir.file("dist"), { recursive: true });
}
