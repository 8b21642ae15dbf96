/** Editing a config file's text: what is wrong is refused, and what is odd is said. */
import { describe, expect, test } from "bun:test";

import { editServers, type ServerEdit } from "../../lib/config/edit.ts";
import { add, commented, edited, of } from "./edit-kit.ts";
import { errorOf } from "./kit.ts";

describe("what is wrong is refused", () => {
  test.each([
    [add({ comand: "x" }), "entry", "mcpServers.c: expected a command or a url", "command"],
    [add({ command: "x", args: "y" }), "entry", "mcpServers.c.args: expected an array of strings"],
    [add({ command: 1 }), "entry", "mcpServers.c.command: expected a string"],
    [add({ command: "x", env: { A: [] } }), "entry", "mcpServers.c.env.A: expected a string"],
    [{ do: "add", name: "", entry: { command: "x" } }, "entry", "at least one character"],
    [{ do: "add", name: "a", entry: { command: "x" } }, "exists", 'a server "a" already'],
    [{ do: "change", name: "aa", keys: {} }, "missing", 'no server "aa"', "did you mean a?"],
    [{ do: "remove", name: "aa" }, "missing", 'no server "aa"', "did you mean a?"],
    [{ do: "change", name: "a", keys: { command: null } }, "entry", "expected a command or a url"],
  ] as [ServerEdit, string, string, string?][])("%j", async (edit, problem, message, hint = "") => {
    const error = await errorOf(() => edited(commented, edit));
    expect([error.code, error.facts["problem"]]).toEqual(["usage", problem]);
    expect(error.message).toContain(message);
    expect(error.hint ?? "").toContain(hint);
  });

  test("a file that cannot be read, or is TOML or YAML", async () => {
    const broken = await errorOf(() => edited(`{\n  "mcpServers": }`, add({ command: "x" })));
    expect([broken.code, broken.facts.line]).toEqual(["config", 2]);
    const wrong = await errorOf(() => edited(`{"policy": [{}]}`, add({ command: "x" })));
    expect(wrong.message).toContain("policy[0]");
    for (const label of ["a.toml", "a.yaml"]) {
      const origin = { file: `/x/${label}`, label, kind: "named" } as const;
      const other = await errorOf(() => editServers("", add({ command: "x" }), { ...of, origin }));
      expect(other.facts["problem"]).toBe("file");
    }
  });

  test.each([
    ['{"amp.mcpServers": {}}', "amp.mcpServers"],
    ['{"context_servers": {}}', "context_servers"],
    ['{"mcpServers": [{"name": "a", "command": "a"}]}', "servers"],
  ])("what %s has is added to", (text, section) => {
    const after = editServers(text, add({ command: "x" }), of).text;
    expect(JSON.parse(after)[section]).toEqual({ c: { command: "x" } });
  });

  test("what is odd and may stay is said", () => {
    const { warnings } = editServers(undefined, add({ command: "x", argz: [] }), of);
    expect(warnings).toEqual([
      'a.json: mcpServers.c: nobody knows the key "argz"; did you mean args?',
    ]);
  });
});
