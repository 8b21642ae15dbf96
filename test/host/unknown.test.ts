import { expect, test } from "bun:test";

import { nearestTools, unknownServer } from "../../lib/host/unknown.ts";

const tool = (server: string, own: string, name = `${server}_${own}`) => ({
  server,
  tool: own,
  name,
});
const tools = [
  tool("files", "read_text_file"),
  tool("files", "write_file"),
  tool("git", "log"),
  tool("web", "log"),
];

test.each<[wanted: string, names: string[]]>([
  ["files.read_txt", ["files_read_text_file"]],
  ["files/readTextFile", ["files_read_text_file"]],
  ["fs.read_text", ["files_read_text_file"]],
  ["read_txt", ["files_read_text_file"]],
  ["lgo", ["git_log", "web_log"]],
  ["git.lgo", ["git_log"]],
  ["mcp__files__read_text_file", ["files_read_text_file"]],
  ["mcp__git__log", ["git_log"]],
  ["mcp__git__xyz", []],
  ["files.xyz", []],
  ["zzz.", []],
  ["", []],
])("%p", (wanted, names) => {
  expect(nearestTools(wanted, tools)).toEqual(names);
});

test("the only server's own names are suggested where they are shown", () => {
  expect(
    nearestTools("files.read_txt", [tool("files", "read_text_file", "read_text_file")]),
  ).toEqual(["read_text_file"]);
});

test("an unknown server: what was meant, else what there is", () => {
  expect(unknownServer("fles", ["files", "git"]).hint).toBe("did you mean files?");
  expect(unknownServer("zzz", ["files", "git"]).hint).toBe("the servers are files, git");
  expect(unknownServer("zzz", ["server"]).hint).toBe("the only server is server");
  expect(unknownServer("zzz", []).hint).toBe("no server is configured");
});
