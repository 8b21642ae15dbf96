/** A call and its outcome as plugins see them: frozen, so that nothing they do reaches ours. */
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Call, Outcome } from "./call.ts";
import { freezeAll, plainJson, thrownText } from "./frozen.ts";
import type { PluginCall } from "./hook-types.ts";

/** A call that plugins may look at. */
export interface ViewedCall extends Call {
  /** As they see it, with the arguments that it has by now; absent where none has looked. */
  view?: PluginCall | undefined;
}

/**
 * Arguments as plugins see them, and as they are sent: frozen, and nobody else's, so that what was looked at is what is done.
 * @throws HostError `usage`: they are no JSON
 */
export function frozenArguments(given: JsonObject, { tool, server }: Call): JsonObject {
  try {
    const { value } = plainJson(given);
    freezeAll(value);
    return value as JsonObject;
  } catch (error) {
    const text = `the arguments of ${tool} are no JSON: ${thrownText(error)}`;
    throw new HostError("usage", text, { facts: { server, tool }, cause: error });
  }
}

/** @param call its arguments are frozen @param name what the tool is shown by */
export function callView(call: Call, name: string | undefined): PluginCall {
  const { id, owner, server, tool, actor } = call;
  return Object.freeze({
    id,
    owner,
    server,
    tool,
    ...(name !== undefined && { name }),
    arguments: call.arguments,
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
  freezeAll(outcome.result);
  if ("task" in outcome) freezeAll(outcome.task);
  if (outcome.error !== undefined) {
    Object.freeze(outcome.error.facts);
    Object.freeze(outcome.error);
  }
  Object.freeze(outcome);
}
