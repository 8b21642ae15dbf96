/**
 * Files of our own (cache and state) that are something else by now: a link, a pipe. What they point to is never touched,
 * nothing waits for them, and what is kept next replaces them.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";

import type { LogEntry } from "../../lib/base/log.ts";
import { readKept, writeKept } from "../../lib/cli/kept-tools.ts";
import { saveAll } from "../../lib/cli/save.ts";
import { taskStore } from "../../lib/cli/task-store.ts";
import { prune, recalledTools, rememberTools } from "../../lib/cli/tool-cache.ts";
import { verdictKey, verdictStore } from "../../lib/client/eras.ts";
import { trustStore } from "../../lib/config/trust.ts";
import type { ServerConfig } from "../../lib/config/types.ts";
import { expectRun, tempDir } from "../harness.ts";
import { many } from "./kit.ts";

setDefaultTimeout(10_000);

const server: ServerConfig = {
  kind: "http",
  name: "s",
  url: "http://127.0.0.1:1/mcp",
  transport: "auto",
  headers: {},
  protocol: "auto",
  lifecycle: "lazy",
  origin: { label: "here", kind: "found", file: "/f/.mcp.json" },
  written: {},
};
const task = {
  taskId: "t",
  server: "s",
  tool: "x",
  status: "working",
  at: new Date().toISOString(),
  ttlMs: null,
  flags: {},
  cwd: "/",
};
const tool = { name: "t", inputSchema: { type: "object" as const } };

/** Every store: what it keeps, and whether it finds it again. */
function stores(root: string, log: (entry: LogEntry) => void) {
  const env = { XDG_CACHE_HOME: root };
  const io = { env, cwd: "/" };
  const trust = trustStore({ folder: root, log });
  const tasks = taskStore({ folder: root, log });
  const eras = verdictStore({ folder: root, log });
  const key = verdictKey(server);
  return {
    "mcphost/tools": {
      keep: () => rememberTools(env, server, [{ server: "s", tool: "t", ...tool } as never]),
      isKept: async () => (await recalledTools(env, server)) !== undefined,
    },
    "mcphost/lists": {
      keep: () =>
        writeKept(io, server, {
          tools: [{ name: "t", raw: tool }] as never,
          skipped: [],
          freshUntil: performance.now() + 60_000,
        } as never),
      isKept: async () => (await readKept(io, server)) !== undefined,
    },
    trust: { keep: () => trust.add([server]), isKept: () => trust.isTrusted(server) },
    "trust (listed)": {
      keep: () => trust.add([server]),
      isKept: async () => (await trust.list()).length > 0,
    },
    tasks: { keep: () => tasks.keep(task), isKept: async () => (await tasks.list()).length > 0 },
    eras: {
      keep: () => eras.write(key, { era: "modern", revision: "2026-07-28" }),
      isKept: async () => (await eras.read(key)) !== undefined,
    },
    "eras (noted)": {
      keep: () => eras.note(key, { era: "modern", revision: "2026-07-28" }),
      isKept: async () => (await eras.read(key)) !== undefined,
    },
  };
}

const kinds = Object.keys(stores("/", () => {})) as (keyof ReturnType<typeof stores>)[];

for (const kind of kinds)
  for (const place of ["a pipe", "a link to a pipe", "a link to a file", "a link to nowhere"])
    test(`${kind}: ${place} in the place of the kept file`, async () => {
      await using dir = await tempDir();
      const logged: LogEntry[] = [];
      const { keep, isKept } = stores(dir.path, (entry) => void logged.push(entry))[kind];
      await keep();
      expect(await isKept()).toBe(true);
      const folder = dir.file(kind.replace(/ .*/, ""));
      const [name] = await readdir(folder);
      const file = `${folder}/${name}`;
      const target = place.startsWith("a link") ? dir.file("target") : file;
      await rm(file);
      if (place.endsWith("pipe")) Bun.spawnSync(["mkfifo", target]);
      if (place.endsWith("file")) await writeFile(target, "theirs");
      if (target !== file) await symlink(target, file);
      expect(await isKept()).toBe(false);
      const isTold = kind.startsWith("mcphost/") || place.endsWith("nowhere") || logged.length > 0;
      expect(isTold).toBe(true);
      await keep();
      expect(await isKept()).toBe(true);
      expect((await lstat(file)).isFile()).toBe(true);
      if (place === "a link to a pipe") expect((await stat(target)).isFIFO()).toBe(true);
      if (place.endsWith("file")) expect(await readFile(target, "utf8")).toBe("theirs");
      if (place.endsWith("nowhere")) await expect(stat(target)).rejects.toThrow();
      expect(logged.filter(({ level }) => level !== "debug")).toEqual([]);
    });

test("a folder of ours that leads elsewhere loses nothing that is not ours, and links are not followed", async () => {
  await using dir = await tempDir();
  await mkdir(dir.file("theirs"));
  for (let at = 0; at < 210; at++) await writeFile(dir.file("theirs", `photo-${at}`), "");
  for (let at = 0; at < 205; at++)
    await symlink("nowhere", dir.file("theirs", `${String(at).padStart(32, "0")}.json`));
  await prune(dir.file("theirs"));
  const names = await readdir(dir.file("theirs"));
  expect(names.filter((name) => name.startsWith("photo"))).toHaveLength(210);
  expect(names).toHaveLength(410);
});

test.concurrent.each(["call need n=1", "call need n=1 --timeout 9s", "tools"])(
  "folders of ours by a name that is longer than any path are as none: %s",
  async (words) => {
    const long = `/${"a/".repeat(3000)}`;
    const run = await many(...words.split(" "))
      .env({ XDG_CONFIG_HOME: long, XDG_STATE_HOME: long, XDG_CACHE_HOME: long })
      .run();
    expectRun(run, { stdout: /^(\{"n":1\}\n$|[^]*args\()/ });
  },
);

test("--save writes through no link: the next number is taken", async () => {
  await using dir = await tempDir();
  await mkdir(dir.file("out"));
  await symlink(dir.file("outside"), dir.file("out", "t-1.bin"));
  const binary = { kind: "blob", base64: "AAAA", mimeType: undefined, uri: undefined } as const;
  const place = { folder: "out", cwd: dir.path, tool: "t" };
  expect(await saveAll([binary as never], place)).toEqual(["out/t-2.bin"]);
  await expect(stat(dir.file("outside"))).rejects.toThrow();
});
