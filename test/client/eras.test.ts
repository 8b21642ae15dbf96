import { expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import { verdictKey, verdictStore } from "../../lib/client/eras.ts";

const verdict = { era: "legacy", revision: "2025-11-25", server: "s@1" } as const;
const key = verdictKey({ command: "npx", args: ["-y", "server"] });
const dayMs = 24 * 3_600_000;

async function folder() {
  const path = await mkdtemp(join(tmpdir(), "eras-"));
  const log: LogEntry[] = [];
  return {
    path,
    log,
    file: join(path, "eras", key),
    store: (now = Date.now(), filesMax = 500) =>
      verdictStore({ folder: path, log: (entry) => log.push(entry), now: () => now, filesMax }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

test("a verdict is kept for 7 days, in files that nobody else can read", async () => {
  await using at = await folder();
  const now = Date.now();
  expect(await at.store(now).read(key)).toBeUndefined();
  await at.store(now).write(key, verdict);
  expect(await at.store(now).read(key)).toEqual(verdict);
  expect(await at.store(now + 6.9 * dayMs).read(key)).toEqual(verdict);
  expect(await at.store(now + 7.1 * dayMs).read(key)).toBeUndefined();
  expect(await at.store(now - dayMs).read(key)).toBeUndefined();
  expect((await stat(at.file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(at.path, "eras"))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(at.path, "eras"))).toEqual([key]);
  expect(at.log).toEqual([]);
});

test("a note is kept as what is written, in a folder that nobody else can read, and changes nothing of the process", async () => {
  await using at = await folder();
  const now = Date.now();
  const mask = process.umask();
  await at.store(now).note(key, verdict);
  expect(await at.store(now).read(key)).toEqual(verdict);
  await at.store(now).note(key, { ...verdict, revision: "2025-06-18" });
  expect((await at.store(now).read(key))?.revision).toBe("2025-06-18");
  expect((await stat(at.file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(at.path, "eras"))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(at.path, "eras"))).toEqual([key]);
  expect(process.umask()).toBe(mask);
  await at.store(now).note(key, { ...verdict, stale: true });
  expect(await at.store(now).read(key)).toBeUndefined();
  expect(at.log).toEqual([]);
});

test("what cannot be put into its place leaves nothing behind", async () => {
  await using at = await folder();
  await mkdir(at.file, { recursive: true });
  await at.store().write(key, verdict);
  expect(await readdir(join(at.path, "eras"))).toEqual([key]);
  expect(at.log.map(({ level }) => level)).toEqual(["debug"]);
});

test("a note that cannot be made is a debug line", async () => {
  await using at = await folder();
  await Bun.write(join(at.path, "eras"), "a file where the folder should be");
  await at.store().note(key, verdict);
  expect(at.log.map(({ level }) => level)).toEqual(["debug"]);
});

test("keys tell command lines apart", () => {
  const keys = [
    { command: "a", args: ["b c"] },
    { command: "a", args: ["b", "c"] },
    { command: "a b", args: ["c"] },
    { command: "a", args: [] },
  ].map(verdictKey);
  expect(new Set(keys).size).toBe(4);
  expect(verdictKey({ command: "a", args: ["b", "c"] })).toBe(keys[1] ?? "");
});

test("a key is never a path", async () => {
  await using at = await folder();
  await at.store().write("../../outside", verdict);
  expect(await at.store().read("../../outside")).toEqual(verdict);
  expect(await readdir(at.path)).toEqual(["eras"]);
});

test("a stale verdict is forgotten", async () => {
  await using at = await folder();
  await at.store().write(key, verdict);
  await at.store().write(key, { ...verdict, stale: true });
  expect(await at.store().read(key)).toBeUndefined();
});

test.each([
  "",
  "{",
  "null",
  "[]",
  '{"at":"x"}',
  '{"at":1,"era":"odd","revision":"r"}',
  " ".repeat(1e6),
])("a broken file (%j) is a debug line, and is written over", async (text) => {
  await using at = await folder();
  await at.store().write(key, verdict);
  await Bun.write(at.file, text);
  expect(await at.store().read(key)).toBeUndefined();
  expect(at.log).toEqual([expect.objectContaining({ level: "debug" })]);
  await at.store().write(key, verdict);
  expect(await at.store().read(key)).toEqual(verdict);
});

test("a folder that cannot be written is a debug line", async () => {
  await using at = await folder();
  await Bun.write(join(at.path, "eras"), "a file where the folder should be");
  await at.store().write(key, verdict);
  expect(await at.store().read(key)).toBeUndefined();
  expect(at.log.length).toBeGreaterThan(0);
  expect(new Set(at.log.map(({ level }) => level))).toEqual(new Set(["debug"]));
});

test("writing removes what has expired, and the oldest beyond the bound", async () => {
  await using at = await folder();
  const now = Date.now();
  const ages = [8, 3, 2, 1];
  for (const days of ages) {
    const old = verdictKey({ command: `${days}`, args: [] });
    await at.store(now).write(old, verdict);
    const seconds = (now - days * dayMs) / 1000;
    await utimes(join(at.path, "eras", old), seconds, seconds);
  }
  await at.store(now, 3).write(key, verdict);
  const left = await readdir(join(at.path, "eras"));
  const expected = [key, ...["1", "2"].map((command) => verdictKey({ command, args: [] }))];
  expect(left.toSorted()).toEqual(expected.toSorted());
});

test("however many command lines there are, no more than the bound is kept", async () => {
  await using at = await folder();
  for (let n = 0; n < 12; n += 1)
    await at.store(Date.now(), 10).write(verdictKey({ command: "c", args: [`${n}`] }), verdict);
  expect(await readdir(join(at.path, "eras"))).toHaveLength(10);
  expect(await at.store().read(verdictKey({ command: "c", args: ["11"] }))).toEqual(verdict);
});

test("notes keep the bound, too", async () => {
  await using at = await folder();
  const store = at.store(Date.now(), 10);
  // The folder is looked through one time in 64: it is not in one case of 10^13.
  for (let n = 0; n < 1900; n += 1)
    await store.note(verdictKey({ command: "c", args: [`${n}`] }), verdict);
  expect((await readdir(join(at.path, "eras"))).length).toBeLessThan(1900);
});

const keyOf = (url: string, transport = "auto") => verdictKey({ url, transport });

test("a URL is known by its origin, its path and the transport that was asked for", () => {
  const same = keyOf("https://mcp.example/mcp");
  expect(keyOf("https://user:secret@MCP.example:443/mcp?token=secret#x")).toBe(same);
  for (const other of [
    keyOf("http://mcp.example/mcp"),
    keyOf("https://mcp.example:444/mcp"),
    keyOf("https://mcp.example/other"),
    keyOf("https://mcp.example/mcp", "http"),
    verdictKey({ command: "https://mcp.example/mcp", args: [] }),
  ])
    expect(other).not.toBe(same);
});

test("what a remote server can, and its transport, are kept; too much of it is not", async () => {
  await using at = await folder();
  const capabilities = { tools: {}, extensions: { "a/b": { c: [1] } } };
  const whole = { era: "modern", revision: "2026-07-28", capabilities } as const;
  const sse = { era: "legacy", revision: "2024-11-05", transport: "sse" } as const;
  const long = { ...whole, capabilities: { tools: { x: "x".repeat(2000) } } };
  const keys = ["a", "b", "c"].map((path) =>
    verdictKey({ url: `http://h/${path}`, transport: "auto" }),
  );
  for (const [i, kept] of [whole, sse, long].entries()) await at.store().write(keys[i]!, kept);
  const read = await Promise.all(keys.map((one) => at.store().read(one)));
  expect(read).toEqual([whole, sse, { era: "modern", revision: "2026-07-28" }]);
});
