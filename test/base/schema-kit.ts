/** What the tests of schema checks share: a verdict in words, and schemas of objects. */
import type { Json, JsonObject } from "../../lib/base/json.ts";
import { checkSchema, type SchemaVerdict } from "../../lib/base/schema.ts";

/** `ok`, the problems as `path: message`, or `unchecked: reason`. */
export async function verdict(schema: JsonObject, value: Json): Promise<string> {
  return words(await checkSchema(schema, value));
}

/** `ok`, the problems as `path: message`, or `unchecked: reason`, of a verdict that is there. */
export function words(result: SchemaVerdict): string {
  if (result.ok === true) return "ok";
  if (result.ok === "unchecked") return `unchecked: ${result.reason}`;
  return result.problems.map((problem) => `${problem.path}: ${problem.message}`).join("\n");
}

/** The schema of an object with these properties. */
export const properties = (known: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: known,
  ...more,
});
