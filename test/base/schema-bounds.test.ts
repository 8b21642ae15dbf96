/** JSON Schema checks: deep, long and slow schemas and values are bounded. */
import { describe, expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { checkSchema } from "../../lib/base/schema.ts";
import { properties, verdict, words } from "./schema-kit.ts";

describe("bounds", () => {
  test("a schema of 5,000 levels", async () => {
    let schema: JsonObject = {};
    for (let i = 0; i < 5000; i++) schema = { properties: { a: schema }, minProperties: 0 };
    expect(await verdict(schema, {})).toBe("unchecked: it is nested too deeply");
  });

  test("a schema of 300 levels", async () => {
    let schema: JsonObject = {};
    for (let i = 0; i < 300; i++) schema = { not: schema };
    expect(await verdict(schema, {})).toEndWith("is nested more than 200 levels deep");
  });

  test("a value of 100,000 levels", async () => {
    let value: Json = {};
    for (let i = 0; i < 100_000; i++) value = { a: value };
    expect(await verdict(properties({ a: { $ref: "#" } }), value)).toBe(
      "unchecked: the value is nested more than 1000 levels deep",
    );
  });

  test("a schema that is too long", async () => {
    const result = await checkSchema({ $comment: "x".repeat(1000) }, {}, { schemaBytesMax: 500 });
    expect(words(result)).toBe("unchecked: it is longer than 500 bytes");
  });

  test("a pattern that takes for ever is given up, and we go on meanwhile", async () => {
    const schema = properties({ a: { pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" } });
    let turns = 0;
    const ticking = setInterval(() => turns++, 10);
    const result = await checkSchema(schema, { a: "a".repeat(60) }, { timeLimitMs: 300 });
    clearInterval(ticking);
    expect(result.ok).toBe("unchecked");
    expect(turns).toBeGreaterThan(3);
  });

  test("many equal-looking references are checked under the limit too", async () => {
    const $defs: JsonObject = { d0: { type: "integer" } };
    for (let i = 1; i < 40; i++)
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
    const result = await checkSchema({ $defs, $ref: "#/$defs/d39" }, 1, { timeLimitMs: 200 });
    expect(result).toEqual({ ok: "unchecked", reason: "checking took longer than 200 ms" });
  });
});
