/** Policy and limits of a config are read whole, or the file is refused. */
import { expect, test } from "bun:test";

import { configOf, errorOf } from "./kit.ts";

test.each([
  [`[]`, "expected an object, found an array"],
  [`{"mcpServers": 3}`, "mcpServers: expected the servers, by name, found a number"],
  [`{"policy": {}}`, "policy: expected an array of rules, found an object"],
  [`{"policy": [{"do": "dney"}]}`, 'policy[0].do: expected one of allow, deny, ask, found "dney"'],
  [`{"policy": [{"tools": "x"}]}`, `policy[0]: expected the key "do", found nothing`],
  [
    `{"policy": [{"do": "allow", "tool": "x"}]}`,
    "policy[0].tool: expected a known key, found a string",
  ],
  [
    `{"policy": [{"do": "deny", "actor": "modle"}]}`,
    'policy[0].actor: expected one of user, script, model, gateway, found "modle"',
  ],
  [
    `{"policy": [{"do": "deny", "annotations": {"readonlyHint": true}}]}`,
    "policy[0].annotations.readonlyHint: expected a known key, found true",
  ],
  [
    `{"limits": {"lineBytesMax": -1}}`,
    "limits.lineBytesMax: expected a whole number, 1 or more, found a number",
  ],
  [`{"inputs": [{"id": 3}]}`, "inputs[0].id: expected a string, found a number"],
])("refuses the whole file where its rules are wrong: %s", async (text, message) => {
  const error = await errorOf(() => configOf(text));
  expect(error.code).toBe("config");
  expect(error.message).toBe(`servers.json: ${message}`);
});

test("reads policy and limits", async () => {
  const config = await configOf(
    `{"mcpServers": {}, "limits": {"lineBytesMax": 1e6, "pageMax": 3},
      "policy": [{"tools": "fs_*", "actor": "model", "annotations": {"destructiveHint": true},
                  "arguments": {"/path": "/etc/*"}, "do": "ask", "reason": "why"}]}`,
  );
  expect(config.limits).toEqual({ lineBytesMax: 1_000_000 });
  expect(config.policy).toMatchObject([
    {
      tools: "fs_*",
      actor: "model",
      annotations: { destructiveHint: true },
      arguments: { "/path": "/etc/*" },
      do: "ask",
      reason: "why",
      origin: { label: "servers.json", kind: "named" },
    },
  ]);
  expect(config.warnings).toEqual([
    `servers.json: limits: nobody knows the key "pageMax"; did you mean pagesMax?`,
  ]);
});
