/** JSON as values: big integers keep every digit (`JSON.rawJSON`). Parts of a text are cut out in `slice.ts`. Pure. */

declare global {
  // Both are in Bun; TypeScript's own library does not declare them yet.
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. Keys come from outside: copy with spread, never with `object[key] = …` (`__proto__`). */
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** True for a JSON object: not null, not an array, not a kept number (`JSON.rawJSON`). */
export function isObject(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  // Asked of everything that comes and goes, and a kept number always has this member.
  return !("rawJSON" in value) || !JSON.isRawJSON(value);
}

/** The text behind a byte order mark, which some shells and editors write before JSON and which is no part of it. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/**
 * `JSON.parse` that loses no digit: a number that a double cannot hold (an integer outside ±(2^53 - 1), one of many digits,
 * one beyond its range) stands as `JSON.rawJSON(text)`, which `JSON.stringify` writes back as it was. A text nested too
 * deeply for that is parsed with rounded numbers.
 * @throws SyntaxError
 */
export function parseJson(text: string): Json {
  if (!mayLoseDigits(text)) return JSON.parse(text) as Json;
  try {
    return JSON.parse(text, keepNumber as (key: string, value: unknown) => unknown) as Json;
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text) as Json;
    throw error;
  }
}

/** True for a text of which plain `JSON.parse` might lose a digit; false where it surely loses none. */
export function mayLoseDigits(text: string): boolean {
  return (long.test(text) || scaled.test(text)) && mayLose.test(text);
}

/** A text as `parseJson` has it, where plain `JSON.parse` would lose a digit; else undefined, sooner than that could be had. */
export function wholeJson(text: string): Json | undefined {
  if (!mayLose.test(text)) return undefined;
  // Schemas are full of the largest number that nothing is lost of.
  return mayLose.test(text.replace(largestSafe, "0")) ? parseJson(text) : undefined;
}

/** Remembers what a value was before plain `JSON.parse` took digits from it: nobody sees that but `withDigits`. */
export function keepDigits(value: object, whole: Json): void {
  Object.defineProperty(value, digitsKey, { value: whole });
}

/** A value with all of its digits, to be written: itself where none were lost. */
export function withDigits<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  return ((value as { [digitsKey]?: T })[digitsKey] ?? value) as T;
}

/**
 * True for a value of more than `depthMax` levels of arrays and objects. Goes level by level, without recursion:
 * `JSON.stringify` takes seconds to find out that it cannot.
 */
export function isDeeper(value: Json, depthMax: number): boolean {
  let level: object[] = isNode(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === depthMax) return true;
    const next: object[] = [];
    for (const node of level)
      for (const child of Object.values(node)) if (isNode(child)) next.push(child);
    level = next;
  }
  return false;
}

// --- internal ---

/** In another copy of this module, too. */
const digitsKey = Symbol.for("mcphost.digits");
const largestSafe = /(?<![\d.])9007199254740991(?![\d.eE])/g;

/** Sixteen digits, or an exponent of three; a reviver makes parsing many times slower, so it is only used behind this. */
const mayLose = /\d{16}|[\d.]{17}|\d[eE][+-]?\d{3}/;
/** What such a text has in it, each of one length: such are looked for in a fraction of the time. */
const [long, scaled] = [/[\d.]{16}/, /\d[eE][-+\d]\d\d/];
const integer = /^-?\d+$/;

function keepNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== "number") return value;
  const source = context.source ?? "";
  if (integer.test(source)) return Number.isSafeInteger(value) ? value : JSON.rawJSON(source);
  if (String(value) === source) return value;
  const digits = source
    .replace(/e.*$/i, "")
    .replace(/[-.]/g, "")
    .replace(/^0+|0+$/g, "").length;
  const isLost = !Number.isFinite(value) || digits > 15 || (value === 0 && digits > 0);
  return isLost ? JSON.rawJSON(source) : value;
}

function isNode(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
