/** What a hook of a call is run about. */
import type { Facts } from "../base/errors.ts";
import type { PluginCall } from "./hook-types.ts";
import type { Occasion } from "./run-hook.ts";

/** Its words are made only where something went wrong, and its signal where one waits. */
export class CallOccasion implements Occasion {
  readonly timeoutMs: number;
  readonly #view: PluginCall;
  readonly #limits: { readonly signal: AbortSignal } | undefined;

  constructor(view: PluginCall, timeoutMs: number, limits?: { readonly signal: AbortSignal }) {
    this.timeoutMs = timeoutMs;
    this.#view = view;
    this.#limits = limits;
  }

  get about(): string {
    const { tool, server } = this.#view;
    return ` of ${tool} of server "${server}"`;
  }

  get facts(): Facts {
    const { id, server, tool } = this.#view;
    return { server, tool, call: id };
  }

  get signal(): AbortSignal | undefined {
    return this.#limits?.signal;
  }
}
