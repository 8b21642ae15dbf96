/** The one place where `@cfworker/json-schema` runs, here or in a worker. Loaded only when something is to be checked. */
import { Validator } from "@cfworker/json-schema";

import type { Json, JsonObject } from "./json.ts";
import type { Draft } from "./schema-mend.ts";
import { describeComplaints } from "./schema-words.ts";
import type { Problem } from "./schema-words.ts";

/** What goes to the worker, as JSON. */
export interface RunRequest {
  schema: JsonObject;
  draft: Draft;
  value: Json;
}

/** What comes back. `thrown`: the validator could not cope; `isRange`: with so many levels. */
export type RunReply =
  { problems: Problem[]; tookMs: number } | { thrown: string; isRange: boolean };

/** Makes a validator; it marks the schema it is given, so give it one of its own. @throws on what it cannot read */
export function compileSchema(schema: JsonObject, draft: Draft): (value: Json) => Problem[] {
  const validator = new Validator(schema, draft, false);
  return (value) => describeComplaints(validator.validate(value).errors, schema, value);
}

/** Compiles and checks once; never throws. */
export function runSchema({ schema, draft, value }: RunRequest): RunReply {
  try {
    const started = performance.now();
    const problems = compileSchema(schema, draft)(value);
    return { problems, tookMs: performance.now() - started };
  } catch (error) {
    const thrown = String(error instanceof Error ? error.message : error).slice(0, 200);
    return { thrown, isRange: error instanceof RangeError };
  }
}
