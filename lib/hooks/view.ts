/** A call and its outcome as plugins see them: frozen, so that nothing they do reaches ours. */
import { isObject } from "../base/json.ts";
import type { Call, Outcome } from "./call.ts";
import { frozenCopy } from "./frozen.ts";
import type { PluginCall } from "./hook-types.ts";

/** A call that plugins may look at. */
export interface ViewedCall extends Call {
  /** As they see it, with the arguments that it has by now; absent where none has looked. */
  view?: PluginCall | undefined;
}

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

/** Frozen in place, since it may be large, and is read by us only after this. */
export function freezeOutcome(outcome: Outcome): void {
  freezeDeep(outcome.result);
  Object.freeze(outcome);
}

// --- internal ---

function freezeDeep(value: unknown): void {
  if (Array.isArray(value)) for (const child of Object.freeze(value)) freezeDeep(child);
  else if (isObject(value))
    for (const child of Object.values(Object.freeze(value))) freezeDeep(child);
}
