/** Trust in entries that were found, our files on disk, where they lie, and the schema for editors. */
import { expect, test } from "bun:test";
import { lstat, readdir, readFile, stat, symlink } from "node:fs/promises";

import * as v from "valibot";

import { writePrivate } from "../../lib/config/files.ts";
import { configJsonSchema } from "../../lib/config/json-schema.ts";
import {
  baseName,
  folderOf,
  foldersUp,
  ourPaths,
  resolvePath,
  shownPath,
} from "../../lib/config/paths.ts";
import { ConfigFile } from "../../lib/config/schema.ts";
import { needsTrust, trustHash, trustStore } from "../../lib/config/trust.ts";
import type { ServerConfig } from "../../lib/config/types.ts";
import { errorOf, folderWith, load } from "./kit.ts";

async function found(entry: string, folder: string): Promise<ServerConfig> {
  await Bun.write(`${folder}/.mcp.json`, `{"mcpServers": {"s": ${entry}}}`);
  const [server] = (await load({ cwd: folder })).servers;
  if (!server) throw new Error("no server");
  return server;
}

test("trusts an entry as written, until anything in it or its folder changes", async () => {
  await using state = await folderWith();
  await using project = await folderWith({ "sub/x": "" });
  const store = trustStore({ folder: state.file("mcphost") });
  const entry = `{"command": "a", "args": ["b"], "env": {"K": "v", "N": 1}}`;
  const server = await found(entry, project.path);
  expect(needsTrust(server)).toBe(true);
  expect(await store.isTrusted(server)).toBe(false);
  expect(await store.add([server])).toBe(true);
  expect(await store.isTrusted(server)).toBe(true);
  const same = `{ /* moved */ "env": {"N": 1, "K": "v"}, "args": ["b"], "command": "a", }`;
  expect(await store.isTrusted(await found(same, project.path))).toBe(true);
  for (const changed of [
    entry.replace(`"b"`, `"c"`),
    entry.replace(`"v"`, `"w"`),
    entry.replace("1", "1.0"),
    entry.replace("{", `{"cwd": ".", `),
    entry.replace("{", `{"envFile": "x", `),
    entry.replace("{", `{"unknown": 1, `),
  ])
    expect(await store.isTrusted(await found(changed, project.path))).toBe(false);
  expect(await store.isTrusted(await found(entry, project.file("sub")))).toBe(false);
});

test("lists and takes back; trusting again replaces", async () => {
  await using state = await folderWith();
  await using project = await folderWith();
  const store = trustStore({ folder: state.path, now: () => new Date(0) });
  const first = await found(`{"command": "1"}`, project.path);
  const second = await found(`{"command": "2"}`, project.path);
  await store.add([first]);
  await store.add([second]);
  expect(await store.list()).toEqual([
    {
      name: "s",
      folder: project.path,
      hash: trustHash(second.written, project.path),
      at: "1970-01-01T00:00:00.000Z",
    },
  ]);
  expect(await store.revoke("other")).toEqual([]);
  expect(await store.revoke("s", "/elsewhere")).toEqual([]);
  expect((await store.revoke("s")).length).toBe(1);
  expect(await store.isTrusted(second)).toBe(false);
});

test("a broken store is a debug line and trusts nothing; one that cannot be written says so", async () => {
  await using state = await folderWith({ file: "" });
  const said: string[] = [];
  const log = (entry: { level: string }) => void said.push(entry.level);
  const store = trustStore({ folder: state.path, log });
  const server = await found(`{"command": "1"}`, state.path);
  expect(await store.add([server])).toBe(true);
  const [name = ""] = await readdir(state.file("trust"));
  await Bun.write(state.file("trust", name), "{ broken");
  expect(await store.list()).toEqual([]);
  expect(await store.isTrusted(server)).toBe(false);
  expect(said).toEqual(["debug", "debug"]);
  expect(await trustStore({ folder: state.file("file"), log }).add([server])).toBe(false);
  expect(await trustStore({ folder: undefined, log }).add([server])).toBe(false);
  expect(await store.add([server])).toBe(true);
  expect(await store.isTrusted(server)).toBe(true);
});

test("what is trusted and revoked at once is all done, and leaves nothing beside", async () => {
  await using state = await folderWith();
  await using project = await folderWith();
  const written = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`s${index}`, { command: "a" }]),
  );
  await Bun.write(project.file(".mcp.json"), JSON.stringify({ mcpServers: written }));
  const { servers } = await load({ cwd: project.path });
  expect(servers).toHaveLength(20);
  const store = () => trustStore({ folder: state.path });
  await Promise.all(servers.map((server) => store().add([server])));
  expect(await store().list()).toHaveLength(20);
  const [kept, ...revoked] = servers;
  await Promise.all(revoked.map(({ name }) => store().revoke(name)));
  expect((await store().list()).map(({ name }) => name)).toEqual([kept?.name ?? ""]);
  expect(await readdir(state.file("trust"))).toHaveLength(1);
});

test("a revoke that could not look is an error, never done", async () => {
  await using state = await folderWith();
  await symlink("trust", state.file("trust"));
  const error = await errorOf(() => trustStore({ folder: state.path }).revoke("s"));
  expect(error).toMatchObject({
    code: "output",
    message: expect.stringContaining("s may still be trusted"),
  });
});

const hash = (entry: unknown) => trustHash(entry, "/f");

test("hashes by content: order of keys does not count, kind and place do", () => {
  expect(hash({ a: 1, b: [2] })).toBe(hash({ b: [2], a: 1 }));
  const different = [
    { a: 1 },
    { a: "1" },
    { a: [1] },
    { a: null },
    {},
    [],
    null,
    { a: JSON.rawJSON("1.0") },
    { ["__proto__"]: 1 },
  ];
  expect(new Set(different.map(hash)).size).toBe(different.length);
  expect(trustHash({}, "/f")).not.toBe(trustHash({}, "/g"));
});

test("writes for our user alone, whole or not at all, and never through a link", async () => {
  await using folder = await folderWith({ "target.json": "old" });
  await writePrivate(folder.file("new/deep/file.json"), "text");
  expect(await readFile(folder.file("new/deep/file.json"), "utf8")).toBe("text");
  expect((await stat(folder.file("new/deep/file.json"))).mode & 0o777).toBe(0o600);
  expect((await stat(folder.file("new"))).mode & 0o777).toBe(0o700);
  expect(await readdir(folder.file("new/deep"))).toEqual(["file.json"]);
  await symlink("target.json", folder.file("link.json"));
  await writePrivate(folder.file("link.json"), "new");
  expect(await readFile(folder.file("link.json"), "utf8")).toBe("new");
  expect((await lstat(folder.file("link.json"))).isFile()).toBe(true);
  expect(await readFile(folder.file("target.json"), "utf8")).toBe("old");
  await expect(writePrivate(folder.file("target.json/x"), "no")).rejects.toThrow();
  await expect(writePrivate(folder.file("new"), "no")).rejects.toThrow();
  expect((await readdir(folder.path)).toSorted()).toEqual(["link.json", "new", "target.json"]);
});

test("knows where our files lie", () => {
  expect(ourPaths({ HOME: "/h" }, "linux")).toEqual({
    home: "/h",
    config: "/h/.config/mcphost",
    state: "/h/.local/state/mcphost",
    cache: "/h/.cache/mcphost",
  });
  const xdg = { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "relative", XDG_CACHE_HOME: "" };
  expect(ourPaths({ HOME: "/h", ...xdg }, "linux")).toMatchObject({
    config: "/c/mcphost",
    state: "/h/.local/state/mcphost",
    cache: "/h/.cache/mcphost",
  });
  expect(ourPaths({}, "linux")).toEqual({
    home: undefined,
    config: undefined,
    state: undefined,
    cache: undefined,
  });
  const windows = {
    USERPROFILE: "C:\\U\\me",
    APPDATA: "C:\\U\\me\\R",
    LOCALAPPDATA: "C:\\U\\me\\L",
  };
  expect(ourPaths(windows, "win32")).toEqual({
    home: "C:\\U\\me",
    config: "C:\\U\\me\\R/mcphost",
    state: "C:\\U\\me\\L/mcphost",
    cache: "C:\\U\\me\\L/Temp/mcphost",
  });
});

test("does its arithmetic over paths", () => {
  expect(["/a/b", "/a", "/", "a", "C:\\a\\b", "C:\\a"].map(folderOf)).toEqual([
    "/a",
    "/",
    "/",
    ".",
    "C:\\a",
    "C:\\",
  ]);
  expect(foldersUp("/a/b")).toEqual(["/a/b", "/a", "/"]);
  expect(resolvePath("/a/b", "../c/./d//e")).toBe("/a/c/d/e");
  expect(resolvePath("/a", "/x/../y")).toBe("/y");
  expect(resolvePath("/a", "../../..")).toBe("/");
  expect(resolvePath("/a", "b\\c")).toBe("/a/b\\c");
  expect(resolvePath("C:\\a", "..\\b")).toBe("C:\\b");
  expect(baseName("/a/b.c")).toBe("b.c");
  expect(shownPath("/a/b/c", "/a/b", "/a")).toBe("c");
  expect(shownPath("/a/x", "/a/b", "/a")).toBe("~/x");
  expect(shownPath("/x", "/", "/")).toBe("/x");
});

test("gives editors a JSON Schema of what is checked", async () => {
  const schema = (await configJsonSchema()) as Record<string, any>;
  const server = schema.properties.mcpServers.additionalProperties.properties;
  expect(Object.keys(server)).toContain("allowedTools");
  expect(server.allowedTools).toMatchObject({ type: "array", items: { type: "string" } });
  expect(server.lifecycle.enum).toEqual(["lazy", "eager", "per-call"]);
  expect(schema.properties.policy.items).toMatchObject({
    required: ["do"],
    additionalProperties: false,
  });
  expect(
    v.is(ConfigFile, {
      mcpServers: { a: { command: "x", timeout: "30s" } },
      policy: [{ do: "ask" }],
    }),
  ).toBe(true);
  expect(JSON.stringify(schema)).toBe(JSON.stringify(JSON.parse(JSON.stringify(schema))));
  expect((await errorOf(() => load({ cwd: "/", json: ["{"] }))).message).toBe(
    `--config-json:1:2: expected "}", found the end`,
  );
});
