/** The types of JSON Schema, and what others call them: Google's API in capitals, languages by their own words. Pure. */
import type { Json } from "./json.ts";

export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/** The type that is meant; undefined where the word is none. `"any"` is no type: every value has it. */
export function typeMeant(word: Json | undefined): JsonType | "any" | undefined {
  if (typeof word !== "string") return undefined;
  switch (word) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
    case "null":
    case "array":
    case "object":
      return word;
    default:
      return words.get(word.toLowerCase());
  }
}

// --- internal ---

const words: ReadonlyMap<string, JsonType | "any"> = new Map([
  ["string", "string"],
  ["str", "string"],
  ["number", "number"],
  ["float", "number"],
  ["double", "number"],
  ["integer", "integer"],
  ["int", "integer"],
  ["boolean", "boolean"],
  ["bool", "boolean"],
  ["null", "null"],
  ["array", "array"],
  ["list", "array"],
  ["object", "object"],
  ["dict", "object"],
  ["any", "any"],
]);
