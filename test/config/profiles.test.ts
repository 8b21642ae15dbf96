/** What a config says of profiles: read, merged, refused, shown, and told to editors. */
import { expect, test } from "bun:test";

import { configJsonSchema } from "../../lib/config/json-schema.ts";
import { configOf, errorOf, folderWith, load } from "./kit.ts";

test("are read by name, whatever the name", async () => {
  const text = `{"mcpServers": {}, "profiles": {"code": {"tools": ["fs_*"]}, "__proto__": {"tools": []}}}`;
  const { profiles, warnings } = await configOf(text);
  expect(Object.entries(profiles)).toEqual([
    ["code", { tools: ["fs_*"] }],
    ["__proto__", { tools: [] }],
  ]);
  expect(warnings).toEqual([]);
});

test("a named file wins over the user's, name by name", async () => {
  const own = { code: { tools: ["own"] }, mine: { tools: ["m*"] } };
  await using folder = await folderWith({
    "config/mcphost/config.json": JSON.stringify({ profiles: own }),
    "named.json": JSON.stringify({ mcpServers: {}, profiles: { code: { tools: ["named"] } } }),
  });
  const env = { HOME: folder.path, XDG_CONFIG_HOME: folder.file("config") };
  const { profiles } = await load({ files: ["named.json"], cwd: folder.path, env });
  expect({ ...profiles }).toEqual({ code: { tools: ["named"] }, mine: { tools: ["m*"] } });
});

test("a project that was found adds its own, and changes none of the user's", async () => {
  const user = { code: { tools: ["own"] } };
  const theirs = { code: { tools: ["*"] }, docs: { tools: ["d*"] } };
  await using folder = await folderWith({
    "config/mcphost/config.json": JSON.stringify({ profiles: user }),
    "p/mcphost.json": JSON.stringify({ mcpServers: {}, profiles: theirs }),
  });
  const env = { HOME: folder.path, XDG_CONFIG_HOME: folder.file("config") };
  const { profiles } = await load({ cwd: folder.file("p"), env });
  expect({ ...profiles }).toEqual({ code: { tools: ["own"] }, docs: { tools: ["d*"] } });
});

test.each([
  ["[]", "servers.json: profiles: expected an object, found an array"],
  [`{"a": "x"}`, "servers.json: profiles.a: expected an object with tools, found a string"],
  [`{"a": {}}`, `servers.json: profiles.a: expected the key "tools", found nothing`],
  [`{"a": {"tools": "x"}}`, "servers.json: profiles.a.tools: expected an array of strings"],
  [`{"a": {"tools": [1]}}`, "servers.json: profiles.a.tools[0]: expected a string, found a number"],
  [
    `{"a.b": {"tools": [], "tool": []}}`,
    `servers.json: profiles["a.b"].tool: expected a known key`,
  ],
])("%s is refused", async (profiles, message) => {
  const error = await errorOf(() => configOf(`{"mcpServers": {}, "profiles": ${profiles}}`));
  expect([error.code, error.message]).toEqual(["config", expect.stringContaining(message)]);
  if (profiles.includes(`"tool"`)) expect(error.hint).toContain("did you mean tools?");
});

test("editors know them", async () => {
  const schema = JSON.stringify(await configJsonSchema());
  expect(schema).toContain("Choices of tools that clients of serve and gateway ask for by name.");
});
