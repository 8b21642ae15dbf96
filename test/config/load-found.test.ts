/** Configs that are found: which folder counts, what the user's own adds, and what they may loosen. */
import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";

import { findConfig } from "../../lib/config/find.ts";
import { errorOf, folderWith, load, names, one, plain } from "./kit.ts";

test("finds the nearest config going up; in a folder the first of the names counts", async () => {
  await using folder = await folderWith({
    "mcp.json": one("top"),
    "a/mcp.json": one("mcp"),
    "a/.mcp.json": one("dot"),
    "a/b/c/x": "",
    "d/mcphost.jsonc": one("jsonc"),
    "d/.mcp.json": one("dot"),
  });
  const found = async (name: string) =>
    (await findConfig(folder.file(name)))?.slice(folder.path.length);
  expect(await found("a/b/c")).toBe("/a/.mcp.json");
  expect(await found("d")).toBe("/d/mcphost.jsonc");
  await mkdir(folder.file("e/mcphost.json"), { recursive: true });
  expect(await found("e")).toBe("/mcp.json");
});

test("merges what was found over the user's own, and only the found needs trust", async () => {
  await using folder = await folderWith({
    "home/.config/mcphost/config.jsonc": `{"mcpServers": {"a": {"command": "user"}, "b": {"command": "user"}}} // mine`,
    "work/.mcp.json": one("b", "project"),
  });
  const env = { HOME: folder.file("home") };
  const config = await load({ cwd: folder.file("work"), env });
  expect(
    config.servers.map((server) => [server.name, server.origin.kind, plain(server).command]),
  ).toEqual([
    ["a", "user", "user"],
    ["b", "found", "project"],
  ]);
  expect(config.files.map((file) => file.label)).toEqual([
    "~/.config/mcphost/config.jsonc",
    ".mcp.json",
  ]);
});

test("takes MCPHOST_CONFIG instead of searching", async () => {
  await using folder = await folderWith({ "mcp.json": one("found"), "other.json": one("named") });
  const config = await load({ cwd: folder.path, env: { MCPHOST_CONFIG: "other.json" } });
  expect(config.servers.map((server) => [server.name, server.origin.kind])).toEqual([
    ["named", "named"],
  ]);
  const missing = await errorOf(() =>
    load({ cwd: folder.path, env: { MCPHOST_CONFIG: "no.json" } }),
  );
  expect([missing.code, missing.message]).toEqual(["config", "there is no file no.json"]);
});

test("searches for nothing where anything is named, but the user's policy and limits hold", async () => {
  await using folder = await folderWith({
    "xdg/mcphost/config.json": JSON.stringify({
      mcpServers: { user: { command: "u", nokey: 1 } },
      policy: [{ tools: "rm*", do: "deny" }],
      limits: { pagesMax: 7 },
    }),
    "work/.mcp.json": one("found"),
    "work/c.json": JSON.stringify({ mcpServers: {}, policy: [{ tools: "ls", do: "allow" }] }),
  });
  const world = { cwd: folder.file("work"), env: { XDG_CONFIG_HOME: folder.file("xdg") } };
  for (const options of [
    { rest: ["node", "s.js"] },
    { servers: ["server=node s.js"] },
    { json: [one("server", "node")] },
  ]) {
    const config = await load({ ...world, ...options });
    expect(names(config)).toEqual(["server"]);
    expect(config.policy).toMatchObject([{ tools: "rm*", do: "deny", origin: { kind: "user" } }]);
    expect(config.limits).toEqual({ pagesMax: 7 });
    expect(config.warnings).toEqual([]);
  }
  const both = await load({ ...world, files: ["c.json"], rest: ["x"] });
  expect(both.policy.map((rule) => rule.do)).toEqual(["deny", "allow"]);
  expect((await load({ ...world, rest: ["x"], noUserConfig: true })).policy).toEqual([]);
});

test("lets a found project tighten, and loosen nothing", async () => {
  await using folder = await folderWith({
    "mcphost.json": JSON.stringify({
      mcpServers: {},
      policy: [
        { tools: "*", do: "allow" },
        { tools: "rm", do: "deny" },
        { tools: "mv", do: "ask" },
      ],
      limits: { lineBytesMax: 1e12 },
    }),
  });
  const config = await load({ cwd: folder.path });
  expect(config.policy.map((rule) => rule.do)).toEqual(["deny", "ask"]);
  expect(config.limits).toEqual({});
  expect(config.warnings.length).toBe(2);
  const named = await load({ cwd: folder.path, files: ["mcphost.json"] });
  expect(named.policy.map((rule) => rule.do)).toEqual(["allow", "deny", "ask"]);
  expect(named.limits).toEqual({ lineBytesMax: 1e12 });
});
