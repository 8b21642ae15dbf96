/** A call and its outcome as plugins see them: frozen, so that nothing they do reaches ours. */
import { isObject } from "../base/json.ts";
import type { Call, Outcome } from "./call.ts";
import { frozenCopy } from "./frozen.ts";
import type { PluginCall } from "./hook-types.ts";

/** @param name what the tool is shown by */
export function callView(call: Call, name: string | undefined): PluginCall {
  const { id, owner, server, tool, actor } = call;
  return Object.freeze({
    id,
    owner,
    server,
    tool,
    ...(name !== undefined && { name }),
    arguments: frozenCopy(call.arguments),
    actor,
    annotations: Object.freeze({ ...call.annotations }),
    // Of their own, made for whoever wants it.
    get signal() {
      return AbortSignal.any([call.signal]);
    },
  });
}

/** The outcome itself is read by us only after this: its result is frozen in place, since it may be large. */
export function outcomeView(outcome: Outcome): Outcome {
  freezeDeep(outcome.result);
  const view: Record<string, unknown> = {};
  for (const key in outcome) {
    if (key !== "raw") view[key] = outcome[key as keyof Outcome];
    // It is cut out of the answer when it is asked for.
    else Object.defineProperty(view, key, { enumerable: true, get: () => rawOf(outcome) });
  }
  return Object.freeze(view) as unknown as Outcome;
}

// --- internal ---

function rawOf(outcome: Outcome): string | undefined {
  return "raw" in outcome ? outcome.raw : undefined;
}

function freezeDeep(value: unknown): void {
  if (Array.isArray(value)) for (const child of Object.freeze(value)) freezeDeep(child);
  else if (isObject(value))
    for (const child of Object.values(Object.freeze(value))) freezeDeep(child);
}
