/** Arguments that a tool does not name, where its schema lets them through: most often they are mistyped. */
import { expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { straysOf } from "../../lib/host/shape.ts";
import { expectRun } from "../harness.ts";
import { call } from "./kit.ts";

test("one is sent all the same, with a warning that names the nearest; -q says nothing", async () => {
  expectRun(await call("big", "bytes=3", "byts=1").run(), {
    stdout: "xxx\n",
    stderr: 'mcphost: warning: [server] the tool names no argument "byts"; did you mean "bytes"?\n',
  });
  expectRun(await call("big", "bytes=3", "zzz=1").run(), {
    stdout: "xxx\n",
    stderr: 'mcphost: warning: [server] the tool names no argument "zzz"\n',
  });
  expectRun(await call("-q", "big", "bytes=3", "byts=1").run(), { stdout: "xxx\n" });
  expectRun(await call("--no-validate", "big", "bytes:=3", "byts=1").run(), { stdout: "xxx\n" });
});

test("where a required argument is missing, it is named in that error", async () => {
  expectRun(await call("need", "nn=1").run(), {
    code: 2,
    stderr:
      "mcphost: need: argument n is missing; unknown argument nn (did you mean n?)\n  need(n: integer)\n",
  });
});

test("a tool without declared arguments takes any", async () => {
  expectRun(await call("fail", "x=1").run(), { code: 1, stderr: /^(?!.*names no argument)/ });
});

const properties: JsonObject = { a: {} };

test.each<[JsonObject, string[]]>([
  [{ properties }, ["b"]],
  [{ properties, allOf: [{ properties: { b: {} } }] }, []],
  [{ properties, anyOf: [{ properties: { b: {} } }, { required: ["a"] }] }, []],
  [{ properties, $ref: "#/$defs/x", $defs: { x: { properties: { b: {} } } } }, []],
  [{ properties, additionalProperties: {} }, []],
  [{ properties, additionalProperties: true }, []],
  [{ properties, patternProperties: { "^x": {} } }, []],
  [{ properties, unevaluatedProperties: { type: "string" } }, []],
  [{ type: "object" }, []],
  [{ properties: { toString: {} } }, ["a", "b"]],
])("%j", (schema, strays) => {
  expect(straysOf(schema, { a: 1, b: 2 })).toEqual(strays);
});
