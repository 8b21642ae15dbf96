/** What arguments become under a schema. */
import type { Json, JsonObject } from "../../lib/base/json.ts";
import { fitArguments } from "../../lib/host/arguments.ts";

/** The JSON of what `key=text` becomes under the schema of `key`. */
export function fitted(schema: Json, text: string, defs: JsonObject = {}): string {
  const root = { type: "object", properties: { key: schema }, ...defs };
  return JSON.stringify(fitArguments([{ kind: "text", key: "key", text }], root).key);
}
