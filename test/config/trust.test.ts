/** Trust in entries that were found: what it is of, how it is taken back, and what a broken store means. */
import { expect, test } from "bun:test";
import { readdir, symlink } from "node:fs/promises";

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
