/** Editing a config file's text: a server is found wherever it stands. */
import { describe, expect, test } from "bun:test";

import { type ServerEdit } from "../../lib/config/edit.ts";
import { edited } from "./edit-kit.ts";

describe("where a server stands", () => {
  const entry = { command: "z" };

  test("a new one goes into the object of servers that is there", () => {
    for (const key of ["mcpServers", "servers", "mcp_servers", "mcp"])
      expect(JSON.parse(edited(`{"${key}": {}}`, { do: "add", name: "c", entry }))).toEqual({
        [key]: { c: entry },
      });
    expect(
      JSON.parse(
        edited(`{"servers": [{"id": "a", "command": "x"}]}`, { do: "add", name: "c", entry }),
      ),
    ).toEqual({ servers: [{ id: "a", command: "x" }], mcpServers: { c: entry } });
  });

  test("one is changed in any shape, the one that counts", () => {
    const list = `{"servers": [{"id": "a", "command": "x"}, {"id": "b", "command": "y"}]}`;
    const change: ServerEdit = { do: "change", name: "b", keys: { args: ["1"] } };
    expect(JSON.parse(edited(list, change)).servers[1]).toEqual({
      id: "b",
      command: "y",
      args: ["1"],
    });
    const project = JSON.stringify({ projects: { "/x": { mcpServers: { b: { command: "y" } } } } });
    expect(JSON.parse(edited(project, change)).projects["/x"].mcpServers.b.args).toEqual(["1"]);
    const twice = `{"mcpServers": {"b": {"command": "1"}, "b": {"command": "2"}}}`;
    expect(JSON.parse(edited(twice, change)).mcpServers.b).toEqual({ command: "2", args: ["1"] });
  });

  test("one is removed wherever it stands, and nothing that it hid comes up", () => {
    const remove = { do: "remove", name: "a" } as const;
    const list = `{"servers": [{"id": "a", "command": "1"}, {"id": "b", "command": "y"}, {"id": "a", "command": "2"}],
      "mcpServers": {"a": {"command": "3"}, "a": {"command": "4"}}}`;
    expect(JSON.parse(edited(list, remove))).toEqual({
      servers: [{ id: "b", command: "y" }],
      mcpServers: {},
    });
  });
});
