/** Lists of tools that are kept between commands: when a server is asked anew. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";

import type { JsonObject } from "../../lib/base/json.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { WireError } from "../fixtures/remote/state.ts";
import { expectRun, mcphost, type TempDir, tempDir } from "../harness.ts";

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
