/** The house as a test: who may import whom, what each room never does, and what a one-shot call never loads. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { root } from "./harness.ts";
import { type Source, sources } from "./sources.ts";

/** From the bottom up; rooms on one row do not see each other (design.md, the rooms). */
const rows = [
  ["base"],
  ["protocol"],
  ["process"],
  ["transport", "config", "auth", "store"],
  ["client", "hooks"],
  ["host"],
  ["serve", "script", "agent"],
  ["cli"],
];
const rowOf = new Map(rows.flatMap((rooms, row) => rooms.map((room) => [room, row] as const)));

const all = sources();
const byFile = new Map(all.map((source) => [source.file, source]));

/** Besides what is hidden (design.md, the rooms). */
const topLevel =
  "CHANGELOG.md LICENSE README.md bun.lock bunfig.toml examples lib mcphost.ts package.json test";

const git = Bun.which("git");
const isClone = git !== null && existsSync(join(root, ".git"));

test.skipIf(!isClone)(
  "the top level holds what the house names, and nothing that a run left there",
  () => {
    const listed = Bun.spawnSync([git ?? "git", "ls-files"], { cwd: root }).stdout.toString();
    const names = new Set(
      listed
        .trim()
        .split("\n")
        .map((file) => file.split("/")[0] ?? ""),
    );
    const hidden = [...names].filter((name) => name.startsWith(".")).toSorted();
    expect(hidden).toEqual([".ci", ".editorconfig", ".gitattributes", ".github", ".gitignore"]);
    const shown = [...names].filter((name) => !name.startsWith("."));
    expect(shown.toSorted()).toEqual(topLevel.split(" "));
  },
);

test("every folder of lib/ is a room, and every import names a file that is there", () => {
  const strangers = all.filter(({ file, room }) => file !== "mcphost.ts" && !rowOf.has(room ?? ""));
  expect(strangers.map(({ file }) => file)).toEqual([]);
  const lost = all.flatMap(({ file, imports }) =>
    imports
      .filter((each) => each.file !== undefined && !byFile.has(each.file))
      .filter((each) => each.path !== "../../package.json")
      .map((each) => `${file} → ${each.path}`),
  );
  expect(lost).toEqual([]);
});

test("a file opens with what it is for, before its imports", () => {
  const silent = all.filter(({ text }) => !text.startsWith("/**"));
  expect(silent.map(({ file }) => file)).toEqual([]);
});

test("a room imports only itself and rooms on lower rows", () => {
  const upward = all.flatMap(({ file, room, imports }) =>
    imports
      .map((each) => byFile.get(each.file ?? ""))
      .filter((target) => target !== undefined && room !== undefined && target.room !== room)
      .filter((target) => (rowOf.get(target!.room ?? "") ?? Infinity) >= rowOf.get(room!)!)
      .map((target) => `${file} → ${target!.file}`),
  );
  expect(upward).toEqual([]);
});

test("no file imports itself by way of others, types included", () => {
  expect(cycle()).toBeUndefined();
});

test("a one-shot call loads no built-in module and no package", () => {
  const loaded = staticGraph("mcphost.ts", "lib/cli/commands/call.ts").flatMap(
    ({ file, imports }) =>
      imports
        .filter((each) => each.kind === "static" && each.file === undefined)
        .map((each) => `${file} → ${each.path}`),
  );
  expect(loaded).toEqual([]);
});

test.each([
  ["protocol awaits nothing", /\bawait\b|\basync\b/, (file) => inRoom(file, "protocol")],
  ["only process/ starts processes", /\bBun\.spawn/, (file) => !inRoom(file, "process")],
  [
    "only serve/ and the sign-in callback listen",
    /\bBun\.serve\b/,
    (file) => !inRoom(file, "serve") && file !== "lib/auth/callback.ts",
  ],
  [
    "there is one call path: a client",
    /\.(callTool|askTool)\(/,
    (file) => file !== "lib/host/send-call.ts",
  ],
  ["there is one call path: a server", /server\.ask\(/, (file) => file !== "lib/host/call.ts"],
  [
    "nobody below the command line exits, prints or reads the environment",
    /\bprocess\.(exit|exitCode|env|stdout|stderr|stdin)\b|\bconsole\.|\bBun\.(env|stdout|stderr|stdin)\b/,
    (file) => file !== "mcphost.ts" && !inRoom(file, "cli"),
  ],
  [
    "streams of node are touched by questions alone",
    /\bprocess\.(stdout|stderr|stdin)\b/,
    (file) => file !== "lib/cli/ask-put.ts",
  ],
  [
    "no decision reads a message",
    /\bmessage\.(includes|match|startsWith|indexOf|search)\(/,
    () => true,
  ],
  [
    "no module keeps mutable state",
    /^(export )?(let|var) |^(export )?const \w+[^=\n]* = (new (Weak)?(Map|Set)(<[^\n]*>)?\(\)|\[\]|\{\});/m,
    () => true,
  ],
] as [string, RegExp, (file: string) => boolean][])("%s", (_name, pattern, applies) => {
  const found = all
    .filter(({ file, code }) => applies(file) && pattern.test(code))
    .map(({ file, code }) => `${file}: ${pattern.exec(code)![0].trim()}`);
  expect(found).toEqual([]);
});

// --- internal ---

function inRoom(file: string, room: string): boolean {
  return file.startsWith(`lib/${room}/`);
}

/** These files and all that they load when they are loaded. */
function staticGraph(...entries: string[]): Source[] {
  const seen = new Set<string>(entries);
  for (const file of seen)
    for (const each of byFile.get(file)?.imports ?? [])
      if (each.kind === "static" && each.file !== undefined) seen.add(each.file);
  return [...seen].map((file) => byFile.get(file)).filter((source) => source !== undefined);
}

/** The first import cycle as a path of files. */
function cycle(): string | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(" → ");
    if (done.has(file)) return undefined;
    for (const { file: next } of byFile.get(file)?.imports ?? []) {
      const found = next === undefined ? undefined : visit(next, [...path, file]);
      if (found !== undefined) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of byFile.keys()) {
    const found = visit(file, []);
    if (found !== undefined) return found;
  }
  return undefined;
}
