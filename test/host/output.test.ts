/** What tools promise of their results, and what comes: the outcome tells of each place that does not fit. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { createHost } from "../../lib/host/create.ts";

setDefaultTimeout(30_000);

const program = join(import.meta.dir, "../fixtures/host/output.ts");

/** The outcome of a call, and what was warned of. */
async function outcomeOf(schema: unknown, result: unknown) {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const args = [program, JSON.stringify(schema), text];
  const warnings: string[] = [];
  await using host = await createHost({
    servers: { s: { command: process.execPath, args } },
    env: { PATH: process.env["PATH"] },
    log: ({ level, text: line }) => void (level === "warn" && warnings.push(line)),
  });
  const outcome = await host.call({ tool: "out" });
  const outputMismatch = "outputMismatch" in outcome ? outcome.outputMismatch : undefined;
  return { outcome, outputMismatch, warnings };
}

const object = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const content = (structuredContent: unknown) => ({ content: [], structuredContent });

test("what fits has no outputMismatch", async () => {
  const { outcome, warnings } = await outcomeOf(object, content({ n: 1 }));
  expect(outcome.status).toBe("completed");
  expect(outcome).not.toHaveProperty("outputMismatch");
  expect(warnings).toEqual([]);
});

test("each place that does not fit is told, and the result is given as it came", async () => {
  const { outcome, outputMismatch } = await outcomeOf(object, content({ n: "x" }));
  expect(outcome).toMatchObject({
    status: "completed",
    result: { structuredContent: { n: "x" } },
    raw: '{"content":[],"structuredContent":{"n":"x"}}',
  });
  expect(outputMismatch).toEqual([{ path: "/n", message: 'expected integer, got "x"' }]);
});

test("content that was promised and is missing is a mismatch", async () => {
  const { outputMismatch } = await outcomeOf(object, { content: [{ type: "text", text: "{}" }] });
  expect(outputMismatch).toEqual([{ path: "", message: "structuredContent is missing" }]);
});

test("B088 errors promise nothing", async () => {
  for (const result of [
    { isError: true, content: [] },
    { isError: true, ...content({ error: "x" }) },
  ]) {
    const { outcome, outputMismatch, warnings } = await outcomeOf(object, result);
    expect(outcome.status).toBe("failed");
    expect(outputMismatch).toBeUndefined();
    expect(warnings).toEqual([]);
  }
});

describe.concurrent("B089 content that is no object", () => {
  test.each<[unknown, unknown, boolean]>([
    [{ type: "null" }, null, true],
    [{ type: "boolean" }, false, true],
    [{ type: "integer" }, 0, true],
    [{ type: "string" }, "", true],
    [{ type: "array", items: { type: "integer" } }, [1, 2], true],
    [{ enum: [null, 1] }, null, true],
    [{ type: "object" }, null, false],
    [{ type: "string" }, false, false],
    [{ type: "boolean" }, 0, false],
    [{ type: "array", items: { type: "integer" } }, [1, "2"], false],
  ])("%j and %j: %p", async (schema, value, fits) => {
    const { outcome, outputMismatch } = await outcomeOf(schema, content(value));
    expect(outcome).toMatchObject({ status: "completed", result: { structuredContent: value } });
    expect(outputMismatch === undefined).toBe(fits);
  });
});

describe.concurrent("dialects", () => {
  const tuple = { type: "array", items: [{ type: "integer" }], additionalItems: false };
  const prefix = { type: "array", prefixItems: [{ type: "integer" }], items: false };

  test.each<[string, object, unknown, boolean]>([
    ["2020-12 is what holds where nothing is said", prefix, [1, 2], false],
    [
      "draft-07 where $schema says so",
      { $schema: "http://json-schema.org/draft-07/schema#", ...tuple },
      [1, 2],
      false,
    ],
    [
      "which knows no prefixItems",
      { $schema: "http://json-schema.org/draft-07/schema#", type: "array", prefixItems: [false] },
      [1],
      true,
    ],
  ])("%s", async (_, schema, value, fits) => {
    const { outputMismatch, warnings } = await outcomeOf(schema, content(value));
    expect(outputMismatch === undefined).toBe(fits);
    expect(warnings).toEqual([]);
  });
});

describe.concurrent("what cannot be checked is given, with a warning", () => {
  test.each<[string, object, unknown, RegExp]>([
    ["an unknown dialect", { $schema: "https://example.com/mine", type: "string" }, 1, /dialect/],
    [
      "B094 a reference into the network",
      { $ref: "https://example.invalid/s.json" },
      1,
      /leads nowhere/,
    ],
    ["B094 one that leads nowhere", { $ref: "#/$defs/missing" }, 1, /leads nowhere/],
    [
      "a pattern that takes for ever",
      { pattern: "^(a|a)*$" },
      `${"a".repeat(40)}!`,
      /1000 ms|too long/,
    ],
    ["a type that is none", { type: "int" }, 1, /unknown type/],
    ["a schema without an end", nested(300), 1, /deep/],
  ])("%s", async (_, schema, value, reason) => {
    const { outcome, outputMismatch, warnings } = await outcomeOf(schema, content(value));
    expect(outcome).toMatchObject({ status: "completed", result: { structuredContent: value } });
    expect(outputMismatch).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/^the results of out are not checked: /)]);
    expect(warnings[0]).toMatch(reason);
  });

  test("B094 references within the schema are followed, round and round", async () => {
    const schema = {
      type: "object",
      properties: { next: { $ref: "#" }, a: { $ref: "#/$defs/a~1b" } },
      $defs: { "a/b": { type: "integer" } },
    };
    const { outputMismatch } = await outcomeOf(schema, content({ next: { next: { a: "x" } } }));
    expect(outputMismatch).toEqual([
      { path: "/next/next/a", message: 'expected integer, got "x"' },
    ]);
  });
});

function nested(levels: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { not: schema };
  return schema;
}
