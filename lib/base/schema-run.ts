/** The one place where `@cfworker/json-schema` runs, here or in a worker. Loaded only when something is to be checked. */
import { Validator } from "@cfworker/json-schema";

import type { Json, JsonObject } from "./json.ts";
import type { Draft } from "./schema-faults.ts";

/** One complaint, as the validator words and places it. Locations are references (`#/a/b`). */
export interface Complaint {
  keyword: string;
  keywordLocation: string;
  instanceLocation: string;
  error: string;
}

/** What goes to the worker, as JSON. */
export interface RunRequest {
  schema: JsonObject;
  draft: Draft;
  value: Json;
}

/** What comes back. `thrown`: the validator could not cope. */
export type RunReply = { complaints: Complaint[]; tookMs: number } | { thrown: string };

/** Makes a validator; it marks the schema it is given, so give it one of its own. @throws on what it cannot read */
export function compileSchema(schema: JsonObject, draft: Draft): (value: Json) => Complaint[] {
  const validator = new Validator(schema, draft, false);
  return (value) => validator.validate(value).errors;
}

/** Compiles and checks once; never throws. */
export function runSchema({ schema, draft, value }: RunRequest): RunReply {
  try {
    const started = performance.now();
    const complaints = compileSchema(schema, draft)(value);
    return { complaints, tookMs: performance.now() - started };
  } catch (error) {
    return { thrown: String(error instanceof Error ? error.message : error).slice(0, 200) };
  }
}
