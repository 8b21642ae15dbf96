/** The JSON Schema of a config, for editors. */
import { expect, test } from "bun:test";

import * as v from "valibot";

import { configJsonSchema } from "../../lib/config/json-schema.ts";
import { ConfigFile } from "../../lib/config/schema.ts";
import { errorOf, load } from "./kit.ts";

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
