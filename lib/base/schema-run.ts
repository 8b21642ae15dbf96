/** The one place where `@cfworker/json-schema` runs, here or in a worker. Loaded only when something is to be checked. */
import { Validator } from "@cfworker/json-schema";

import { wholeJson } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Draft } from "./schema-mend.ts";
import { describeComplaints } from "./schema-words.ts";
import type { Problem } from "./schema-words.ts";

/** What goes to the worker, as JSON. */
interface RunRequest {
  schema: JsonObject;
  draft: Draft;
  value: Json;
}

/** What comes back. `thrown`: the validator could not cope; `isRange`: with so many levels. */
export type RunReply =
  { problems: Problem[]; tookMs: number } | { thrown: string; isRange: boolean };

/** Checks a value of plain numbers. What is wrong is told of `whole`, the same with all of its digits. */
export type Check = (value: Json, whole: () => Json) => Problem[];

/** Makes a validator; it marks the schema it is given, so give it one of its own. @throws on what it cannot read */
export function compileSchema(schema: JsonObject, draft: Draft): Check {
  const validator = new Validator(schema, draft, false);
  return (value, whole) => {
    const { errors } = validator.validate(value);
    return errors.length === 0 ? [] : describeComplaints(errors, schema, whole());
  };
}

/** Compiles and checks once, by the JSON of a `RunRequest`; never throws. */
export function runSchema(request: string): RunReply {
  try {
    const { schema, draft, value } = JSON.parse(request) as RunRequest;
    const whole = () => (wholeJson(request) as unknown as RunRequest | undefined)?.value ?? value;
    const started = performance.now();
    const problems = compileSchema(schema, draft)(value, whole);
    return { problems, tookMs: performance.now() - started };
  } catch (error) {
    const thrown = String(error instanceof Error ? error.message : error).slice(0, 200);
    return { thrown, isRange: error instanceof RangeError };
  }
}
