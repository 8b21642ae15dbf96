/** The lists of tools that completion knows: where they are kept, and what becomes of broken ones. */
import { describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";

import { recalledTools, rememberTools } from "../../lib/cli/tool-cache.ts";
import type { ServerConfig } from "../../lib/config/types.ts";
import { tempDir } from "../harness.ts";
import { schema } from "./completion-kit.ts";

const server: ServerConfig = {
  name: "fs",
  kind: "stdio",
  command: "server",
  args: [],
  env: {},
  origin: { label: "x", kind: "user" },
  written: { command: "server" },
  protocol: "auto",
  lifecycle: "lazy",
};

describe("the lists of tools that completion knows", () => {
  const tool = { name: "fs_read", server: "fs", tool: "read", inputSchema: schema };

  test("are kept by the entry as written, for our user alone", async () => {
    await using dir = await tempDir();
    const env = { XDG_CACHE_HOME: dir.path };
    expect(await recalledTools(env, server)).toBeUndefined();
    await rememberTools(env, server, [tool]);
    expect(await recalledTools(env, server)).toEqual([
      { name: "fs_read", tool: "read", inputSchema: schema },
    ]);
    const moved = { ...server, origin: { label: "y", kind: "named" as const } };
    expect(await recalledTools(env, moved)).toHaveLength(1);
    expect(await recalledTools(env, { ...server, args: ["x"] })).toBeUndefined();
    const { stat, readdir } = await import("node:fs/promises");
    const [file = ""] = await readdir(dir.file("mcphost", "tools"));
    expect((await stat(dir.file("mcphost", "tools"))).mode & 0o777).toBe(0o700);
    expect((await stat(dir.file("mcphost", "tools", file))).mode & 0o777).toBe(0o600);
  });

  test("are just not there when they are broken, too large, or have no place", async () => {
    await using dir = await tempDir();
    const env = { XDG_CACHE_HOME: dir.path };
    await rememberTools({}, server, [tool]);
    expect(await recalledTools({}, server)).toBeUndefined();
    const huge = { ...tool, inputSchema: { properties: { a: { title: "x".repeat(5_000_000) } } } };
    await rememberTools(env, server, [huge]);
    expect(await recalledTools(env, server)).toBeUndefined();
    await rememberTools(env, server, [tool]);
    const { readdir } = await import("node:fs/promises");
    const [file = ""] = await readdir(dir.file("mcphost", "tools"));
    for (const text of ["{", "[]", '{"tools":[1,{"name":"x"}]}']) {
      await Bun.write(dir.file("mcphost", "tools", file), text);
      expect((await recalledTools(env, server)) ?? []).toEqual([]);
    }
    await using blocked = await tempDir();
    await Bun.write(blocked.file("mcphost"), "a file where a folder belongs");
    await rememberTools({ XDG_CACHE_HOME: blocked.path }, server, [tool]);
  });

  test("the oldest go when there are too many", async () => {
    await using dir = await tempDir();
    const folder = dir.file("mcphost", "tools");
    await mkdir(folder, { recursive: true });
    const { readdir, utimes } = await import("node:fs/promises");
    for (let i = 0; i < 205; i++) {
      await Bun.write(`${folder}/${fileOf(i)}`, "{}");
      await utimes(`${folder}/${fileOf(i)}`, i, i);
    }
    await rememberTools({ XDG_CACHE_HOME: dir.path }, server, [tool]);
    const left = await readdir(folder);
    expect(left).toHaveLength(200);
    expect(left).not.toContain(fileOf(0));
    expect(left).toContain(fileOf(204));
  });
});

function fileOf(number: number): string {
  return `${String(number).padStart(32, "0")}.json`;
}
