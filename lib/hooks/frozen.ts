/** Values as strangers may see them: copies of what is ours, frozen, so that nothing they do reaches us. Pure. */
import { shorten } from "../base/clip.ts";
import { isObject, parseJson } from "../base/json.ts";
import type { Json } from "../base/json.ts";

/** A frozen copy of a JSON value. Numbers that keep their digits (`JSON.rawJSON`) are frozen already. */
export function frozenCopy<T extends Json | undefined>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  if (!isObject(value)) return value;
  // fromEntries defines each key, whatever it is called.
  const entries = Object.entries(value).map(([key, child]) => [key, frozenCopy(child)]);
  return Object.freeze(Object.fromEntries(entries)) as T;
}

/** Freezes a JSON value in place, however deep it is nested: servers may send what recursion has no room for. */
export function freezeAll(value: unknown): void {
  if (!isNode(value)) return;
  const left = [value];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    Object.freeze(node);
    for (const child of Object.values(node)) if (isNode(child)) left.push(child);
  }
}

/**
 * A value of a stranger as plain JSON of ours, and its text. Big numbers keep their digits.
 * @throws TypeError for what JSON cannot say: cycles, big integers, nothing at all
 */
export function plainJson(value: unknown): { value: Json; text: string } {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${typeof value} is no JSON`);
  return { value: parseJson(text), text };
}

/** A value in a few words, for messages. Never throws. */
export function shownValue(value: unknown): string {
  if (typeof value === "function") return "a function";
  try {
    return shorten(JSON.stringify(value) ?? String(value), shownMax);
  } catch {
    return `a value of type ${typeof value}`;
  }
}

/** What was thrown, in words. Never throws. */
export function thrownText(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  } catch {
    return "something that cannot be shown";
  }
}

// --- internal ---

const shownMax = 100;

function isNode(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
