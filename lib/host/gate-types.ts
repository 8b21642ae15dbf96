/** What stands between a call that no rule denies and its server. Types only. */
import type { JsonObject } from "../base/json.ts";
import type { Proposed } from "../hooks/before.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import type { Approval, Question } from "../hooks/hook-types.ts";
import type { Decision } from "../hooks/rules.ts";
import type { ViewedCall } from "../hooks/view.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import type { Always } from "../store/types.ts";
import type { HostedConfig } from "./server-types.ts";
import type { HostTool } from "./types.ts";

/** How a call comes to the gate. */
export interface Passing {
  /** As it is listed, where it is. */
  listed: HostTool | undefined;
  /** What the rules say of it as it stands. */
  decision: Decision;
  /**
   * Takes other arguments, validates them and applies the rules again; `listed` may be another afterwards. Once `signal` has
   * fired nothing is changed any more.
   * @throws HostError `usage` (they do not fit), `denied`; the reason of `signal`
   */
  revise(args: JsonObject, signal?: AbortSignal): Promise<Decision>;
  /** It was asked about before, and waits for that answer. */
  isKept: boolean;
  /** The configuration of its server. */
  config: HostedConfig;
  /**
   * The tool as it is listed by now, of the same server under the rules of now; and all tools of that server.
   * @throws HostError `usage` `denied`: there is no such tool any more, or it is not what it was
   */
  anew(): Promise<{ listed: HostTool; all: readonly HostTool[] }>;
  /** Told when it begins to wait for somebody. */
  onWaiting?: (() => void) | undefined;
}

/** A call that is asked about. */
export interface AskedCall extends Pick<
  Passing,
  "listed" | "config" | "isKept" | "anew" | "onWaiting"
> {
  call: Call;
  reasons: readonly string[];
  /** Somebody may be here. */
  hasHere: boolean;
  /**
   * Asks whoever is here, and says who answered; undefined where nobody is. It may have changed the call's arguments.
   * @throws HostError `denied`
   */
  here(signal: AbortSignal): Promise<Answer | undefined>;
  /** As of `Passing`. */
  revise(args: JsonObject): Promise<void>;
}

/** What somebody says of a call. */
export type Answer = { by: string; always?: Always | undefined } | { reject: string; by: string };

/** Keeps what is asked about, so that others may answer, too, and remembers what is always allowed. */
export interface ApprovalKeeper {
  /** False: nobody could answer. @throws HostError `denied`; why the call was given up */
  settle(asked: AskedCall): Promise<boolean>;
}

export interface Gate {
  /** Takes a call: from now on its arguments are its own. @throws HostError `usage`: they are no JSON */
  begin(call: ViewedCall): void;
  /**
   * Lets a call through, at once where nobody has anything to say of it, and returns its result where that is known without
   * the server. It never throws; it rejects with a HostError `denied`, or with why the call was given up.
   */
  pass(call: ViewedCall, passing: Passing): undefined | Promise<ToolResult | undefined>;
  /** What is made of its outcome, let through or not. Neither throws nor rejects. */
  ended(
    call: ViewedCall,
    listed: HostTool | undefined,
    outcome: Outcome,
  ): Outcome | Promise<Outcome>;
}

/**
 * Asks a person about a call; undefined where nobody is there. `revise` of the call tells what is wrong with arguments
 * before they are given as the answer.
 */
export type Approver = (
  call: Proposed,
  question: Question & { tool: HostTool | undefined; signal: AbortSignal },
) => Promise<(Approval & { always?: Always }) | undefined>;
