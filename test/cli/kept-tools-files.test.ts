/** Lists of tools that are kept between commands: how they are kept, whose they are, and what is believed of them. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";

import { dropKept, readKept, writeKept } from "../../lib/cli/kept-tools.ts";
import type { ServerConfig } from "../../lib/config/types.ts";
import { type TempDir, tempDir } from "../harness.ts";

setDefaultTimeout(30_000);

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
