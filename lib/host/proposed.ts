/** A call at the gate: how it stands by now, and how it is changed. */
import type { JsonObject } from "../base/json.ts";
import type { Proposed } from "../hooks/before.ts";
import type { PluginCall } from "../hooks/hook-types.ts";
import type { Decision } from "../hooks/rules.ts";
import { callView, frozenArguments } from "../hooks/view.ts";
import type { ViewedCall } from "../hooks/view.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import type { Passing } from "./gate-types.ts";
import type { HostTool } from "./types.ts";

/** Has a call made with other arguments. Once `signal` has fired nothing is changed any more. */
export type Revise = (args: JsonObject, signal?: AbortSignal) => Promise<void>;

export class ProposedCall implements Proposed {
  readonly call: ViewedCall;
  /** What the rules say of it by now. */
  decision: Decision;
  /** What plugins answer in place of the server. */
  result: ToolResult | undefined;
  readonly #passing: Passing;

  constructor(call: ViewedCall, passing: Passing) {
    this.call = call;
    this.decision = passing.decision;
    this.#passing = passing;
  }

  get signal(): AbortSignal {
    return this.call.signal;
  }

  view(): PluginCall {
    return viewOf(this.call, this.#passing.listed);
  }

  async revise(args: JsonObject, signal?: AbortSignal): Promise<void> {
    this.decision = await this.#passing.revise(frozenArguments(args, this.call), signal);
  }

  /** The same for an approver, who has a say until `signal` fires: once others have decided, they change nothing. */
  until(signal: AbortSignal, revise: Revise): Proposed {
    return { view: () => this.view(), signal, revise: (args) => revise(args, signal) };
  }
}

/** As plugins see it: made once for the arguments that it has by now. */
export function viewOf(call: ViewedCall, listed: HostTool | undefined): PluginCall {
  return (call.view ??= callView(call, listed?.name));
}
