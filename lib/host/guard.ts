/**
 * Keeps a module's user and the host apart: what they call us with is checked before it is used, and what we call of
 * theirs may throw or reject without anything ending by it. The command line does not come through here.
 */
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { kindOf } from "../config/problems.ts";
import type { CallRequest, Host } from "./types.ts";

/** A log that may fail: the entry is lost, and nothing else is. What it does not want to know is still not made. */
export function guardedLog(log: Log): Log {
  const kept: Log = guarded(log, () => {});
  if (log.least !== undefined) kept.least = log.least;
  return kept;
}

/** `host.call` that takes anything: a request that is none is a failed outcome with `usage`. */
export function guardedCall(call: Host["call"], log: Log): Host["call"] {
  const failed = (error: unknown) =>
    log({ level: "debug", text: `onProgress failed: ${String(error)}` });
  return async (request) => {
    const error = faultOf(request);
    if (error !== undefined) return { status: "failed", error, sent: false, durationMs: 0 };
    const { onProgress } = request;
    if (onProgress === undefined) return await call(request);
    return await call({ ...request, onProgress: guarded(onProgress, failed) });
  };
}

// --- internal ---

/** Calls a function of somebody else, which may be async whatever its type says. */
function guarded<T>(
  action: (value: T) => unknown,
  onFailure: (error: unknown) => void,
): (value: T) => void {
  return (value) => {
    try {
      const done = action(value);
      if (done instanceof Promise) done.catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  };
}

const actors: readonly unknown[] = ["user", "script", "model", "gateway"];

type Fits = (value: unknown) => boolean;

const optional =
  (fits: Fits): Fits =>
  (value) =>
    value === undefined || fits(value);

const milliseconds = "a number of milliseconds, 0 or more";

const rows: readonly [key: keyof CallRequest, fits: Fits, expected: string][] = [
  ["tool", (value) => typeof value === "string" && value !== "", "the name of a tool"],
  ["arguments", optional(isObject), "an object"],
  ["signal", optional((value) => value instanceof AbortSignal), "an AbortSignal"],
  ["onProgress", optional((value) => typeof value === "function"), "a function"],
  ["actor", optional((value) => actors.includes(value)), `one of ${actors.join(", ")}`],
  ["timeoutMs", optional((value) => typeof value === "number" && value >= 0), milliseconds],
  ["validate", optional((value) => typeof value === "boolean"), "true or false"],
];

function faultOf(request: unknown): HostError | undefined {
  if (!isObject(request)) return usage("", "an object with the name of a tool", request);
  for (const [key, fits, expected] of rows)
    if (!fits(request[key])) return usage(key, expected, request[key]);
  return undefined;
}

function usage(path: string, expected: string, value: unknown): HostError {
  const found = kindOf(value);
  const at = path === "" ? "" : `${path}: `;
  return new HostError("usage", `host.call: ${at}expected ${expected}, found ${found}`, {
    facts: { path, expected, found },
    hint: 'host.call({ tool: "…", arguments: { … } }) calls a tool',
  });
}
