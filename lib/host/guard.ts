/**
 * Keeps a module's user and the host apart: what they call us with is checked before it is used, and what we call of
 * theirs may throw or reject without anything ending by it. The command line does not come through here.
 */
import { isObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { faultOf, isFunction, needed, optional, signalRow, timeoutRow } from "./check-request.ts";
import type { Row } from "./check-request.ts";
import type { Host } from "./types.ts";

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
  return (request) => {
    const error = faultOf("call", request, rows, usual);
    if (error !== undefined)
      return Promise.resolve({ status: "failed", error, sent: false, durationMs: 0 });
    const { onProgress } = request;
    if (onProgress === undefined) return call(request);
    return call({ ...request, onProgress: guarded(onProgress, failed) });
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
const isFlag = (value: unknown) => typeof value === "boolean";

const rows: readonly Row[] = [
  needed("tool", (value) => typeof value === "string" && value !== "", "the name of a tool"),
  optional("arguments", isObject, "an object"),
  signalRow,
  optional("onProgress", isFunction, "a function"),
  optional("actor", (value) => actors.includes(value), `one of ${actors.join(", ")}`),
  timeoutRow,
  optional("validate", isFlag, "true or false"),
  optional("detach", isFlag, "true or false"),
];

const usual = 'host.call({ tool: "…", arguments: { … } }) calls a tool';
