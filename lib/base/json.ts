/**
 * JSON as values and as text. Values keep every digit of big integers (`JSON.rawJSON`), and parts of a text can be cut
 * out byte for byte without parsing them. Pure.
 */

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
