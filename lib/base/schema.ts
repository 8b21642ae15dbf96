/**
 * Checks values by JSON Schemas that come from outside. Nothing is fetched; what is not surely quick runs in a worker under
 * a time limit, so that no schema and no value can hold us up; and a schema that is broken or beyond us never refuses a
 * value: the answer is then "unchecked", with the reason. Loads the validator when first used.
 */
import { shorten } from "./clip.ts";
import { isDeeper } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { isQuick } from "./schema-cost.ts";
import { inspectSchema } from "./schema-faults.ts";
import type { SchemaReport } from "./schema-faults.ts";
import { surelyFits } from "./schema-plain.ts";
import type { Check, RunReply } from "./schema-run.ts";
import type { Problem } from "./schema-words.ts";

export type { Problem } from "./schema-words.ts";

export type SchemaVerdict =
  /** `but`: what was not looked at. */
  | { ok: true; but?: string }
  | { ok: false; problems: Problem[] }
  /** `isOfValue`: the reason lies in the value, not in the schema. */
  | { ok: "unchecked"; reason: string; isOfValue?: true };

/** Schemas made ready, by identity: give one to many checks. */
export type SchemaCache = WeakMap<JsonObject, Promise<Ready>>;

export interface CheckOptions {
  cache?: SchemaCache;
  /** The longest schema, in UTF-16 units of its JSON. @default 1048576 */
  schemaBytesMax?: number;
  /** How long a check may take that could take long. @default 1000 */
  timeLimitMs?: number;
}

/** Checks one value. Never throws. */
export async function checkSchema(
  schema: JsonObject,
  value: Json,
  options: CheckOptions = {},
): Promise<SchemaVerdict> {
  if (surelyFits(schema, value)) return { ok: true };
  let report: SchemaReport | undefined;
  try {
    const ready = await (options.cache?.get(schema) ?? makeReady(schema, options));
    report = ready.report;
    if (report.fault !== undefined) return { ok: "unchecked", reason: report.fault };
    if (isDeeper(value, valueDepthMax))
      return { ok: "unchecked", reason: tooDeep, isOfValue: true };
    const text = JSON.stringify(value);
    // Parsed anew: kept numbers become plain ones, which is what the validator can read.
    const plain = JSON.parse(text) as Json;
    const isShort = Math.max(text.length, ready.length) <= inlineLengthMax;
    const problems =
      isShort && !report.heavy && isQuick(ready.schema, plain)
        ? await checkHere(ready, plain, value)
        : await checkInWorker(ready, value, options.timeLimitMs ?? 1000);
    return problems.length === 0 ? fine(report) : { ok: false, problems };
  } catch (error) {
    return { ok: "unchecked", reason: reasonOf(error, report?.lost) };
  }
}

// --- internal ---

interface Ready {
  /** A copy of our own: plain numbers, and the validator marks it. */
  schema: JsonObject;
  report: SchemaReport;
  /** UTF-16 units of its JSON. */
  length: number;
  check?: Check;
}

const valueDepthMax = 1000;
const tooDeep = `the value is nested more than ${valueDepthMax} levels deep`;
/** Longer values and schemas are never checked here. */
const inlineLengthMax = 100_000;
/** A pattern that took longer may have been given up by the engine, which then says "no match". */
const trustedMs = 200;

function fine({ foreign }: SchemaReport): SchemaVerdict {
  if (foreign === undefined) return { ok: true };
  return { ok: true, but: `the pattern ${shorten(foreign, 100)} is none in JavaScript` };
}

function makeReady(schema: JsonObject, options: CheckOptions): Promise<Ready> {
  const ready = readSchema(schema, options.schemaBytesMax ?? 1_048_576);
  options.cache?.set(schema, ready);
  return ready;
}

async function readSchema(schema: JsonObject, schemaBytesMax: number): Promise<Ready> {
  if (isDeeper(schema, valueDepthMax)) throw new Unchecked("it is nested too deeply");
  const text = JSON.stringify(schema);
  if (text.length > schemaBytesMax)
    throw new Unchecked(`it is longer than ${schemaBytesMax} bytes`);
  const copy = JSON.parse(text) as JsonObject;
  return { schema: copy, report: inspectSchema(copy), length: text.length };
}

async function checkHere(ready: Ready, value: Json, whole: Json): Promise<Problem[]> {
  if (ready.check === undefined) {
    const { compileSchema } = await import("./schema-run.ts");
    ready.check = compileSchema(ready.schema, ready.report.draft);
  }
  return ready.check(value, () => whole);
}

async function checkInWorker(ready: Ready, value: Json, limitMs: number): Promise<Problem[]> {
  const { schema, report } = ready;
  const reply = await askWorker(JSON.stringify({ schema, draft: report.draft, value }), limitMs);
  if ("thrown" in reply)
    throw reply.isRange ? new RangeError(reply.thrown) : new Error(reply.thrown);
  const doubtful = reply.tookMs > trustedMs && reply.problems.length > 0;
  if (report.patterns && doubtful) throw new Unchecked("its patterns took too long to be trusted");
  return reply.problems;
}

/** One request to a worker of its own, which ends with it. @throws Unchecked when the time is up or it fails */
async function askWorker(request: string, limitMs: number): Promise<RunReply> {
  // The file that lies beside this module, or beside the bundle that this module became a part of.
  const file = import.meta.url.endsWith(".ts") ? "./schema-worker.ts" : "./schema-worker.js";
  const worker = new Worker(new URL(file, import.meta.url).href);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(
    () => reject(new Unchecked(`checking took longer than ${limitMs} ms`)),
    limitMs,
  );
  worker.addEventListener("message", (event: MessageEvent<string>) => resolve(event.data));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    reject(new Unchecked(`the checking worker failed: ${event.message}`));
  });
  try {
    worker.postMessage(request, []);
    return JSON.parse(await promise) as RunReply;
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}

/** Says why nothing was checked. */
class Unchecked extends Error {}

function reasonOf(error: unknown, lost: string | undefined): string {
  if (error instanceof RangeError) return "it or the value is nested too deeply";
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof Unchecked || lost === undefined)
    return text.replace(/\n.*/s, "").slice(0, 200);
  return `its reference ${lost.slice(0, 200)} leads nowhere`;
}
