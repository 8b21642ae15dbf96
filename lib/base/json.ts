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
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  );
}

/**
 * `JSON.parse` that keeps integers outside ±(2^53 - 1) exact: each stands as `JSON.rawJSON(digits)`, which
 * `JSON.stringify` writes back digit for digit. A text nested too deeply for that is parsed with rounded numbers.
 * @throws SyntaxError
 */
export function parseJson(text: string): Json {
  if (!manyDigits.test(text)) return JSON.parse(text) as Json;
  try {
    return JSON.parse(text, keepInteger as (key: string, value: unknown) => unknown) as Json;
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text) as Json;
    throw error;
  }
}

// --- internal ---

/** The smallest unsafe integer has 16 digits; a reviver makes parsing many times slower, so it is only used behind this. */
const manyDigits = /\d{16}/;
const integer = /^-?\d+$/;

function keepInteger(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context.source ?? "";
  return integer.test(source) ? JSON.rawJSON(source) : value;
}
