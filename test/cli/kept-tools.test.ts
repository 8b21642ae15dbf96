/** Lists of tools that are kept between commands: how long, whose, and what is believed when they are read back. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";

import type { JsonObject } from "../../lib/base/json.ts";
import { dropKept, readKept, writeKept } from "../../lib/cli/kept-tools.ts";
import type { ServerConfig } from "../../lib/config/types.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { WireError } from "../fixtures/remote/state.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import type { TempDir } from "../harness.ts";

setDefaultTimeout(30_000);

/** Runs the program in one home, and tells which methods that took. */
function runner(dir: TempDir, server: { url: string; methods(): string[] }) {
  return async (...words: string[]) => {
    const before = server.methods().length;
    const run = await mcphost(...words, "-s", `far=${server.url}`)
      .home(dir.path)
      .run();
    return { run, methods: server.methods().slice(before) };
  };
}

const nothing = async () => ({ content: [] });

function refuse(): never {
  throw new WireError(-32602, "not these");
}

describe("one-shot calls over HTTP", () => {
  test("a modern server is asked once while its list is fresh; no list is kept that may not be", async () => {
    await using dir = await tempDir();
    await using server = await serveRemote({ transport: "http", era: "modern", ttlMs: 60_000 });
    const at = runner(dir, server);
    const first = await at("call", "echo", "text=a");
    expect(first.run.code).toBe(0);
    expect(first.methods).toContain("tools/list");
    const second = await at("call", "echo", "text=b");
    expectRun(second.run, { stdout: first.run.stdout.replace("a", "b") });
    expect(second.methods).toEqual(["tools/call"]);
    // What does not fit it is not sent; but it may fit the list as it is by now.
    const unfit = await at("call", "echo", "nothing=1");
    expect([unfit.run.code, unfit.methods]).toEqual([2, ["tools/list"]]);
    // A name that is not in it: perhaps it is by now.
    const unknown = await at("call", "nowhere");
    expect([unknown.run.code, unknown.methods]).toEqual([2, ["tools/list"]]);
    // Lists are what `tools` is for.
    expect((await at("tools")).methods).toEqual(["tools/list"]);
    const uncached = await at("call", "echo", "text=c", "--no-cache");
    expect(uncached.methods).toContain("tools/list");
  });

  test("what a server refuses by its arguments makes the kept list doubtful", async () => {
    await using dir = await tempDir();
    const tool = { name: "strict", inputSchema: { type: "object" } };
    const tools = [{ tool, run: refuse }];
    await using server = await serveRemote({
      transport: "http",
      era: "modern",
      ttlMs: 60_000,
      tools,
    });
    const at = runner(dir, server);
    await at("call", "echo", "text=a");
    const refused = await at("call", "strict");
    expect(refused.run.code).toBe(1);
    expect(refused.methods).not.toContain("tools/list");
    expect((await at("call", "echo", "text=a")).methods).toEqual(["tools/list", "tools/call"]);
  });

  test("arguments that a kept list refuses are refused by a new one alone", async () => {
    await using dir = await tempDir();
    let inputSchema: JsonObject = { properties: { a: { type: "integer" } }, required: ["a"] };
    const tool = {
      name: "changing",
      get inputSchema() {
        return { type: "object" as const, additionalProperties: false, ...inputSchema };
      },
    };
    await using server = await serveRemote({
      transport: "http",
      era: "modern",
      ttlMs: 60_000,
      tools: [{ tool, run: nothing }],
    });
    const at = runner(dir, server);
    expect((await at("call", "changing", "a=1")).run.code).toBe(0);
    inputSchema = { properties: { b: { type: "integer" } }, required: ["b"] };
    const other = await at("call", "changing", "b=1");
    expectRun(other.run, {});
    expect(other.methods).toEqual(["tools/list", "tools/call"]);
    inputSchema = { properties: { b: { type: "string" } }, required: ["b"] };
    const text = await at("call", "changing", "b=text");
    expectRun(text.run, {});
    expect(text.methods).toEqual(["tools/list", "tools/call"]);
    expect((await at("call", "changing", "b=text")).methods).toEqual(["tools/call"]);
  });

  test("a server that allows nothing is asked each time", async () => {
    await using dir = await tempDir();
    await using server = await serveRemote({ transport: "http", era: "modern", ttlMs: 0 });
    const at = runner(dir, server);
    await at("call", "echo", "text=a");
    expect((await at("call", "echo", "text=a")).methods).toEqual(["tools/list", "tools/call"]);
  });

  test("so is a legacy one", async () => {
    await using dir = await tempDir();
    await using server = await serveRemote({ transport: "http", era: "legacy", ttlMs: 60_000 });
    const at = runner(dir, server);
    await at("call", "echo", "text=a");
    expect((await at("call", "echo", "text=a")).methods).toContain("tools/list");
    expect(await readdir(dir.file("cache/mcphost"))).not.toContain("lists");
  });

  test("another authorization is another list; --no-cache keeps none", async () => {
    await using dir = await tempDir();
    await using server = await serveRemote({ transport: "http", era: "modern", ttlMs: 60_000 });
    const at = runner(dir, server);
    await at("call", "echo", "text=a", "--header", "Authorization: Bearer one");
    const other = await at("call", "echo", "text=a", "--header", "Authorization: Bearer two");
    expect(other.methods).toEqual(["tools/list", "tools/call"]);
    const same = await at("call", "echo", "text=a", "--header", "Authorization: Bearer one");
    expect(same.methods).toEqual(["tools/call"]);
    await at("call", "echo", "text=a", "--header", "X: 3", "--no-cache");
    expect(await readdir(dir.file("cache/mcphost/lists"))).toHaveLength(2);
    const text = await Promise.all(
      (await readdir(dir.file("cache/mcphost/lists"))).map((name) =>
        Bun.file(dir.file("cache/mcphost/lists", name)).text(),
      ),
    );
    expect(text.join("")).not.toContain("Bearer");
  });
});

async function world(dir: TempDir) {
  const io = { env: { HOME: dir.path, XDG_CACHE_HOME: dir.file("cache") }, cwd: dir.path };
  const folder = dir.file("cache/mcphost/lists");
  const only = async () => `${folder}/${(await readdir(folder))[0]}`;
  return { io, folder, only };
}

describe("what is kept", () => {
  const server: ServerConfig = {
    kind: "http",
    name: "far",
    origin: { label: "-s", kind: "named" },
    written: {},
    protocol: "auto",
    lifecycle: "lazy",
    transport: "http",
    url: "http://127.0.0.1:1/mcp",
    headers: {},
  };
  const raw = { name: "t", inputSchema: { type: "object" }, later: { big: 1 } };
  const list = (freshMs: number) => ({
    tools: [{ name: "t", inputSchema: { type: "object" }, raw }],
    warnings: [],
    freshUntil: performance.now() + freshMs,
  });

  test("is the list as it came, for our user alone, and older than any question", async () => {
    await using dir = await tempDir();
    const { io, folder, only } = await world(dir);
    await writeKept(io, server, list(60_000));
    expect(await readKept(io, server)).toMatchObject({
      at: -Infinity,
      tools: [{ name: "t", raw }],
    });
    expect((await stat(await only())).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await dropKept(io, server);
    await dropKept(io, server);
    expect(await readKept(io, server)).toBeUndefined();
  });

  test("is nothing without a time, or when that is over", async () => {
    await using dir = await tempDir();
    const { io } = await world(dir);
    await writeKept(io, server, list(0));
    await writeKept(io, server, { tools: [], warnings: [] });
    expect(await readKept(io, server)).toBeUndefined();
    await writeKept(io, server, list(30));
    while ((await readKept(io, server)) !== undefined) await Bun.sleep(5);
  });

  test("belongs to the server as it is reached", async () => {
    await using dir = await tempDir();
    const { io } = await world(dir);
    await writeKept(io, server, list(60_000));
    for (const other of [
      { headers: { Authorization: "x" } },
      { url: "http://127.0.0.1:1/other" },
      { name: "near" },
      { protocol: "modern" },
    ])
      expect(await readKept(io, { ...server, ...other })).toBeUndefined();
    expect(await readKept(io, { ...server, written: { other: 1 } })).toBeDefined();
  });

  test("is not believed where it cannot be one of ours", async () => {
    await using dir = await tempDir();
    const { io, only } = await world(dir);
    await writeKept(io, server, list(60_000));
    const path = await only();
    const now = Date.now();
    const day = 24 * 3_600_000;
    for (const text of [
      "",
      "{",
      "null",
      "[]",
      '{"at":1,"until":2,"tools":[]}',
      JSON.stringify({ at: now + 60_000, until: now + 90_000, tools: [] }),
      JSON.stringify({ at: now, until: now + 2 * day, tools: [] }),
      JSON.stringify({ at: now, until: now + 60_000, tools: {} }),
      JSON.stringify({
        at: now,
        until: now + 60_000,
        tools: Array.from({ length: 20_001 }, () => raw),
      }),
      JSON.stringify({ at: now, until: now + 60_000, tools: [], pad: "x".repeat(5_000_000) }),
      `{"at":${now},"until":${now + 60_000},"tools":${"[".repeat(100_000)}`,
    ]) {
      await Bun.write(path, text);
      expect(await readKept(io, server)).toBeUndefined();
    }
    const odd = [null, 5, { name: 1 }, { name: "ok", inputSchema: "no" }];
    await Bun.write(path, JSON.stringify({ at: now, until: now + 60_000, tools: odd }));
    const read = await readKept(io, server);
    expect(read?.tools.map(({ name }) => name)).toEqual(["ok"]);
    expect(read?.warnings).toHaveLength(4);
  });

  test("has no place without a home, and complains of nothing", async () => {
    const io = { env: {}, cwd: "/" };
    await writeKept(io, server, list(60_000));
    expect(await readKept(io, server)).toBeUndefined();
    await dropKept(io, server);
  });
});
