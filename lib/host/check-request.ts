/**
 * What a module's user asks of a host, checked before it is used: nothing that was not understood is passed over, for a
 * misspelt key would ask for something else. Values are never shown.
 */
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { kindOf } from "../config/problems.ts";

export type Fits = (value: unknown) => boolean;

/** One key of a request. */
export interface Row {
  key: string;
  /** Of one that is left out, it is not asked. */
  fits: Fits;
  /** In words. */
  expected: string;
  isOptional: boolean;
}

/** A key that must be there. */
export function needed(key: string, fits: Fits, expected: string): Row {
  return { key, fits, expected, isOptional: false };
}

/** A key that may be left out. */
export function optional(key: string, fits: Fits, expected: string): Row {
  return { key, fits, expected, isOptional: true };
}

export const isText: Fits = (value) => typeof value === "string";
export const isTextList: Fits = (value) => Array.isArray(value) && value.every(isText);
export const isFunction: Fits = (value) => typeof value === "function";

export const signalRow = optional(
  "signal",
  (value) => value instanceof AbortSignal,
  "an AbortSignal",
);

export const timeoutRow = optional(
  "timeoutMs",
  (value) => typeof value === "number" && value >= 0,
  "a number of milliseconds, 0 or more",
);

/**
 * The first fault of a request, as `usage`: what does not fit, or a key that nobody knows.
 * @param method such as `call`
 * @param usual said where nothing better is known
 */
export function faultOf(
  method: string,
  request: unknown,
  rows: readonly Row[],
  usual?: string,
): HostError | undefined {
  if (!isObject(request)) return wrong({ method, path: "", expected: "an object" }, request, usual);
  // Loops, and no callbacks: this is on the path of every call.
  for (const { key: path, fits, expected, isOptional } of rows) {
    const value = request[path];
    if (value === undefined ? !isOptional : !fits(value))
      return wrong({ method, path, expected }, value, usual);
  }
  for (const key in request)
    if (request[key] !== undefined && !isKnown(key, rows))
      return unknown({ method, key, rows }, request[key]);
  return undefined;
}

// --- internal ---

function isKnown(key: string, rows: readonly Row[]): boolean {
  for (const row of rows) if (row.key === key) return true;
  return false;
}

function unknown(
  { method, key: path, rows }: { method: string; key: string; rows: readonly Row[] },
  value: unknown,
): HostError {
  const keys = rows.map((row) => row.key);
  const hint = didYouMean(nearest(path, keys)) ?? `the keys are ${keys.join(", ")}`;
  return wrong({ method, path, expected: "no such key" }, value, hint);
}

interface Fault {
  method: string;
  path: string;
  expected: string;
}

function wrong({ method, path, expected }: Fault, value: unknown, hint?: string): HostError {
  const found = kindOf(value);
  const at = path === "" ? "" : `${path}: `;
  return new HostError("usage", `host.${method}: ${at}expected ${expected}, found ${found}`, {
    facts: { path, expected, found },
    ...(hint !== undefined && { hint }),
  });
}
