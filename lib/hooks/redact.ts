/**
 * What may be written down of a call: without what its keys call a secret, without known secrets, and within a bound. Pure;
 * the value itself is never changed.
 */
import { clip } from "../base/clip.ts";
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";

/** @param hide takes known secrets out of a text */
export function redacted(value: JsonObject, hide: (text: string) => string): JsonObject {
  return new Redaction(hide).isClear(value, 0) ? value : new Redaction(hide).object(value, 0);
}

// --- internal ---

/** Of all texts together; what is beyond is left out, and said to be. */
const charactersMax = 8000;
const textMax = 4000;
const keyMax = 200;
const depthMax = 32;

const secretKey =
  /pass(word|phrase|wd|code)|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie|credential|bearer|^(auth|pwd|pin|otp|key)$/i;
const hidden = "***";

class Redaction {
  readonly #hide: (text: string) => string;
  #left = charactersMax;

  constructor(hide: (text: string) => string) {
    this.#hide = hide;
  }

  /** All of it may be written as it is: so it is with nearly every call. */
  isClear(value: Json, depth: number): boolean {
    if (typeof value === "string") return this.#takes(value, textMax);
    if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return true;
    if (depth > depthMax) return false;
    if (Array.isArray(value)) {
      for (const item of value) {
        this.#left -= 2;
        if (!this.isClear(item, depth + 1)) return false;
      }
      return this.#left > 0;
    }
    for (const key in value) {
      const of = value[key];
      if (!this.#takes(key, keyMax) || secretKey.test(key)) return false;
      if (of !== undefined && !this.isClear(of, depth + 1)) return false;
    }
    return true;
  }

  /** A text that need not be cut, and holds no secret. */
  #takes(text: string, max: number): boolean {
    this.#left -= text.length;
    return text.length <= max && this.#left > 0 && this.#hide(text) === text;
  }

  object(value: JsonObject, depth: number): JsonObject {
    const entries: [string, Json][] = [];
    for (const key in value) {
      if (this.#left <= 0) {
        entries.push(["…", "more was left out"]);
        break;
      }
      this.#left -= key.length;
      const name = this.#hide(clip(key, keyMax));
      const of = value[key];
      if (of !== undefined)
        entries.push([name, secretKey.test(key) ? secret(key, of) : this.#value(of, depth + 1)]);
    }
    // `fromEntries` defines: a key from outside meets no prototype.
    return Object.fromEntries(entries);
  }

  #value(value: Json, depth: number): Json {
    if (typeof value === "string") return this.#text(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth > depthMax) return "…";
    if (Array.isArray(value)) return this.#array(value, depth);
    return isObject(value) ? this.object(value, depth) : value;
  }

  #array(values: Json[], depth: number): Json[] {
    const result: Json[] = [];
    for (const value of values) {
      if (this.#left <= 0) return [...result, `… (${values.length - result.length} more)`];
      this.#left -= 2;
      result.push(this.#value(value, depth + 1));
    }
    return result;
  }

  #text(text: string): string {
    // Clipped after it was hidden: a part of a secret would not be found.
    const short = clip(this.#hide(clip(text, textMax)), Math.max(Math.min(textMax, this.#left), 0));
    this.#left -= short.length;
    return short;
  }
}

/** Whatever it is; but a number of tokens is none. */
function secret(key: string, value: Json): Json {
  if (value === null || typeof value === "boolean") return value;
  return typeof value === "number" && /token/i.test(key) ? value : hidden;
}
