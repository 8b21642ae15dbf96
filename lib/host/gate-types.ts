/** What stands between a call that no rule denies and its server. Types only. */
import type { JsonObject } from "../base/json.ts";
import type { Proposed } from "../hooks/before.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import type { Approval, Question } from "../hooks/plugin.ts";
import type { Decision } from "../hooks/rules.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import type { HostTool } from "./types.ts";

/** How a call comes to the gate. */
export interface Passing {
  /** As it is listed, where it is. */
  listed: HostTool | undefined;
  /** What the rules say of it as it stands. */
  decision: Decision;
  /**
   * Takes other arguments, validates them and applies the rules again.
   * @throws HostError `usage` (they do not fit), `denied`
   */
  revise(args: JsonObject): Promise<Decision>;
}

export interface Gate {
  /**
   * Lets a call through, and returns its result where that is known without the server.
   * @throws HostError `denied`; why the call was given up
   */
  pass(call: Call, passing: Passing): Promise<ToolResult | undefined>;
  /** What is made of its outcome, let through or not. Never rejects. */
  ended(call: Call, listed: HostTool | undefined, outcome: Outcome): Promise<Outcome>;
}

/**
 * Asks a person about a call; undefined where nobody is there. `revise` of the call tells what is wrong with arguments
 * before they are given as the answer.
 */
export type Approver = (
  call: Proposed,
  question: Question & { tool: HostTool | undefined; signal: AbortSignal },
) => Promise<Approval | undefined>;
