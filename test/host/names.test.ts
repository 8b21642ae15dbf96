import { describe, expect, test } from "bun:test";

import { type NamedServer, nameTools } from "../../lib/host/name-table.ts";
import { findBare, findNamed, namesOf, serversMeant, withoutList } from "../../lib/host/names.ts";

const hostile = [
  "a.b",
  "a_b",
  "a/b",
  "a b",
  "n".repeat(80),
  `${"n".repeat(79)}m`,
  "道具",
  "工具",
  "",
  "__proto__",
  "constructor",
  "x".repeat(300),
];

function named(servers: NamedServer[]): [string, string][] {
  return nameTools(servers).entries.map((entry) => [`${entry.server}/${entry.tool}`, entry.name]);
}

test("a plain tool is shown as server_tool", () => {
  const two = [
    { name: "fs", tools: ["read", "write"] },
    { name: "git", tools: ["status"] },
  ];
  expect(named(two)).toEqual([
    ["fs/read", "fs_read"],
    ["fs/write", "fs_write"],
    ["git/status", "git_status"],
  ]);
});

test("one single server shows its tools' own names exactly, and understands the long ones", () => {
  const table = nameTools([{ name: "s", tools: hostile }]);
  const shown = table.entries.map((entry) => entry.name);
  // Nobody can see or type the empty name.
  expect(shown).toEqual(hostile.map((name) => name || expect.stringMatching(/^_[0-9a-f]{8}$/)));
  for (const name of shown) expect(findNamed(table, name)[0]?.name).toBe(name);
  for (const tool of hostile) {
    expect([...findNamed(table, tool), ...findBare(table, tool)][0]?.tool).toBe(tool);
    expect(findNamed(table, `s.${tool}`)[0]?.tool).toBe(tool);
    expect(findNamed(table, `s/${tool}`)[0]?.tool).toBe(tool);
  }
  expect(findNamed(table, "s_a_b")[0]?.tool).toBe("a.b");
});

test("one single server with a prefix of its own has it", () => {
  expect(named([{ name: "s", prefix: "my_", tools: ["echo"] }])).toEqual([["s/echo", "my_echo"]]);
});

test("hostile names: distinct in, distinct out, clean, at most 64, each found by every form", () => {
  const table = nameTools([
    { name: "s", tools: hostile },
    { name: "t", tools: ["echo"] },
  ]);
  const names = table.entries.map((entry) => entry.name);
  expect(new Set(names).size).toBe(hostile.length + 1);
  for (const entry of table.entries) {
    expect(entry.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(findNamed(table, entry.name)).toEqual([entry]);
    expect(findNamed(table, `${entry.server}/${entry.tool}`)).toEqual([entry]);
    expect(findBare(table, entry.tool)).toEqual([entry]);
  }
  expect(table.byName.get("s_a_b")?.tool).toBe("a.b");
  expect(names).toEqual(
    nameTools([
      { name: "s", tools: hostile },
      { name: "t", tools: ["echo"] },
    ]).entries.map((entry) => entry.name),
  );
});

test("a changed name is marked, a plain or chosen one is not", () => {
  const table = nameTools([
    { name: "s", tools: ["a.b", "ok", "old"], rename: { old: "new" } },
    { name: "t", tools: [] },
  ]);
  expect(table.entries.map((entry) => entry.changed)).toEqual([true, false, false]);
});

describe("servers and tools whose joined names are one", () => {
  const all = [
    { name: "acme", tools: ["_status"] },
    { name: "acme_", tools: ["status"] },
    { name: "a", tools: ["_b__c", "b_c"] },
    { name: "a_", tools: ["b__c", "_b_c"] },
  ];

  test("the later one gets a hash", () => {
    const names = named(all);
    expect(names[0]).toEqual(["acme/_status", "acme__status"]);
    expect(names[1]?.[1]).toMatch(/^acme__status_[0-9a-f]{8}$/);
    expect(new Set(names.map(([, name]) => name)).size).toBe(6);
  });

  test("listing only the servers that a name can mean gives the same names as listing all", () => {
    for (const [who, name] of named(all)) {
      const meant = serversMeant(name, all);
      const partly = all.map((server) =>
        meant.includes(server.name) ? server : { ...server, tools: [] },
      );
      const found = findNamed(nameTools(partly), name);
      expect(found.map((entry) => `${entry.server}/${entry.tool}`)).toEqual([who]);
    }
  });
});

test("a chosen name holds against a computed one, whichever comes first", () => {
  const servers = [
    { name: "fs", tools: ["read"] },
    { name: "x", tools: ["y"], rename: { y: "fs_read" } },
  ];
  const names = new Map(named(servers));
  expect(names.get("x/y")).toBe("fs_read");
  expect(names.get("fs/read")).toMatch(/^fs_read_[0-9a-f]{8}$/);
});

test("two tools renamed to one name: the later one gets a hash", () => {
  const names = named([
    { name: "a", tools: ["one"], rename: { one: "same" } },
    { name: "b", tools: ["two"], rename: { two: "same" } },
  ]);
  expect(names[0]?.[1]).toBe("same");
  expect(names[1]?.[1]).toMatch(/^same_[0-9a-f]{8}$/);
});

test("a tool that a server lists twice is there once", () => {
  expect(named([{ name: "s", tools: ["echo", "echo"] }])).toHaveLength(1);
});

test("a bare name of two servers has two meanings, a qualified one has one", () => {
  const table = nameTools([
    { name: "x", tools: ["search"] },
    { name: "y", tools: ["search"] },
  ]);
  expect(findNamed(table, "search")).toEqual([]);
  expect(findBare(table, "search").map((entry) => entry.server)).toEqual(["x", "y"]);
  expect(findNamed(table, "y.search").map((entry) => entry.server)).toEqual(["y"]);
  expect(findNamed(table, "x_search").map((entry) => entry.server)).toEqual(["x"]);
});

test("a qualified name with two readings is ambiguous", () => {
  const table = nameTools([
    { name: "a", tools: ["b.c"] },
    { name: "a.b", tools: ["c"] },
  ]);
  expect(findNamed(table, "a.b.c").map((entry) => entry.server)).toEqual(["a", "a.b"]);
});

test("only the servers that a name can mean are asked", () => {
  const servers = [
    { name: "fs", tools: [] },
    { name: "my server", tools: [] },
    { name: "free", prefix: "", tools: [] },
    { name: "z", rename: { own: "chosen" }, tools: [] },
  ];
  expect(serversMeant("fs_read", servers)).toEqual(["fs", "free"]);
  expect(serversMeant("fs.read", servers)).toEqual(["fs"]);
  expect(serversMeant("my_server_x", servers)).toEqual(["my server", "free"]);
  expect(serversMeant("my server/x", servers)).toEqual(["my server"]);
  expect(serversMeant("chosen", servers)).toEqual(["free", "z"]);
  expect(serversMeant("read", servers)).toEqual(["free"]);
});

test("64-character names that differ only at the end, among 1,000 others", () => {
  const tools = Array.from({ length: 1000 }, (_, i) => `${"t".repeat(90)}${i}`);
  const table = nameTools([
    { name: "s", tools },
    { name: "t", tools: [] },
  ]);
  expect(table.byName.size).toBe(1000);
});

test("rules may know a tool by each of its names, in a host of one server too", () => {
  expect(namesOf({ name: "s", tools: [], rename: { "a.b": "x" } }, "a.b")).toEqual([
    "a.b",
    "s_a_b",
    "s.a.b",
    "s/a.b",
    "x",
  ]);
});

test("without a list a name means only what cannot be anything else", () => {
  const one = [{ name: "s", tools: [] }];
  expect(withoutList("echo", one)).toEqual({ server: "s", tool: "echo" });
  expect(withoutList("s.echo", one)).toBeUndefined();
  expect(withoutList("s_echo", one)).toBeUndefined();
  const two = [...one, { name: "t", tools: [], rename: { x: "s.chosen" } }];
  expect(withoutList("s.echo", two)).toEqual({ server: "s", tool: "echo" });
  expect(withoutList("s/a/b", two)).toEqual({ server: "s", tool: "a/b" });
  expect(withoutList("s_echo", two)).toBeUndefined();
  expect(withoutList("echo", two)).toBeUndefined();
  expect(withoutList("s.chosen", two)).toBeUndefined();
});
