/**
 * The gate of a host with plugins, or with a call that is asked about: plugins, then the approver. Whatever goes wrong in it
 * denies the call. It sends nothing.
 */
import { abortable, timerMsMax } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { tellPlugins } from "../hooks/after.ts";
import { askAgain } from "../hooks/again.ts";
import { approvedBy, askPlugins, nothingSaid } from "../hooks/before.ts";
import type { Proposed, Said } from "../hooks/before.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import type { Decision } from "../hooks/rules.ts";
import { describeRule } from "../hooks/rules.ts";
import type { PluginRunner } from "../hooks/runner.ts";
import { frozenArguments } from "../hooks/view.ts";
import type { ViewedCall } from "../hooks/view.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import { nobodyThere, rejected } from "./approval-words.ts";
import type { Answer, ApprovalKeeper, Approver, Gate, Passing } from "./gate-types.ts";
import { ProposedCall, viewOf } from "./proposed.ts";
import type { Revise } from "./proposed.ts";
import type { HostTool } from "./types.ts";
import { givenUp } from "./wait.ts";

export interface GateOptions {
  plugins?: PluginRunner | undefined;
  approve?: Approver | undefined;
  /** @default only whoever is here is asked, and nothing is remembered */
  keeper?: ApprovalKeeper | undefined;
  log: Log;
  /** The longest wait for the approver. @default 600000 */
  approvalTimeoutMs?: number | undefined;
  /** Holds each call that is under way, by its id. */
  calls?: Map<string, Call>;
}

export class PluginGate implements Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  begin(call: ViewedCall): void {
    const given = call.arguments;
    // Even where they are no JSON, plugins see nothing that is somebody else's.
    call.arguments = nothing;
    call.arguments = frozenArguments(given, call);
  }

  pass(call: ViewedCall, passing: Passing): undefined | Promise<ToolResult | undefined> {
    const { calls, plugins } = this.#options;
    calls?.set(call.id, call);
    const proposed = new ProposedCall(call, passing);
    const said =
      plugins === undefined
        ? nothingSaid
        : askPlugins(plugins.hooks("beforeCall"), proposed, plugins.hookTimeoutMs);
    const isAllowed = said === nothingSaid && reasonsOf(call, passing.decision, said).length === 0;
    if (isAllowed && passing.isKept !== true) return undefined;
    return this.#decide(said, proposed, passing);
  }

  ended(
    call: ViewedCall,
    listed: HostTool | undefined,
    outcome: Outcome,
  ): Outcome | Promise<Outcome> {
    const { plugins, log, calls } = this.#options;
    calls?.delete(call.id);
    const hooks = plugins?.hooks("afterCall") ?? [];
    if (plugins === undefined || hooks.length === 0) return outcome;
    const view = viewOf(call, listed);
    return tellPlugins(hooks, { view, outcome, timeoutMs: plugins.hookTimeoutMs, log });
  }

  // --- internal ---

  async #decide(
    saying: Said | Promise<Said>,
    proposed: ProposedCall,
    passing: Passing,
  ): Promise<ToolResult | undefined> {
    const { call } = proposed;
    try {
      const said = await saying;
      proposed.result = said.result;
      const found = reasonsOf(call, proposed.decision, said);
      const reasons = passing.isKept && found.length === 0 ? ["it was asked about before"] : found;
      if (reasons.length > 0) {
        const isApproved = await this.#isApproved(call, proposed, { reasons, passing });
        if (!isApproved) throw nobodyThere(call, proposed.decision, reasons);
      }
      return proposed.result;
    } catch (error) {
      const { signal, server, tool } = call;
      throw signal.aborted && error === signal.reason ? givenUp(signal, { server, tool }) : error;
    }
  }

  async #isApproved(call: Call, proposed: ProposedCall, asked: Asking): Promise<boolean> {
    const { plugins, approve, keeper } = this.#options;
    const { reasons, passing } = asked;
    const revise: Revise = async (args, signal) => {
      await proposed.revise(args, signal);
      if (plugins === undefined) return;
      const before = plugins.hooks("beforeCall");
      const result = await askAgain(before, proposed, plugins.hookTimeoutMs);
      signal?.throwIfAborted();
      proposed.result = result;
    };
    const here = (signal: AbortSignal) =>
      this.#answerOf(call, proposed.until(signal, revise), asked, signal);
    if (keeper !== undefined) {
      const hooks = plugins?.hooks("approve") ?? [];
      const hasHere = approve !== undefined || hooks.length > 0;
      const { listed, config, isKept } = passing;
      const anew = () => passing.anew();
      const onWaiting = () => passing.onWaiting?.();
      const known = { listed, config, isKept, anew, onWaiting };
      return await keeper.settle({ ...known, call, reasons, hasHere, here, revise });
    }
    const answer = await here(call.signal);
    if (answer !== undefined && "reject" in answer) throw rejected(call, answer.reject);
    return answer !== undefined;
  }

  /** Of whoever is here: plugins, then the approver. */
  async #answerOf(
    call: Call,
    proposed: Proposed,
    { reasons, passing }: Asking,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const { plugins, approve, keeper, approvalTimeoutMs = waitDefaultMs } = this.#options;
    const question = Object.freeze({ reasons: Object.freeze(reasons) });
    if (plugins !== undefined) {
      const limits = { timeoutMs: plugins.approvalTimeoutMs, signal };
      const by = await approvedBy(plugins.hooks("approve"), proposed, question, limits);
      if (by !== undefined) return { by: `plugin ${by}` };
    }
    if (approve === undefined) return undefined;
    // A keeper has a clock of its own.
    using late = keeper === undefined ? until(approvalTimeoutMs, call) : undefined;
    const ending = late?.signal ?? signal;
    const asked = approve(proposed, { ...question, tool: passing.listed, signal: ending });
    const answer = await abortable(asked, ending);
    if (answer === undefined) return undefined;
    const by = "terminal";
    if ("reject" in answer) return { reject: answer.reject, by };
    if (answer.arguments !== undefined) await proposed.revise(answer.arguments);
    return { by, always: answer.always };
  }
}

// --- internal ---

const waitDefaultMs = 600_000;
const nothing: JsonObject = Object.freeze({});

/** Why a call is asked about, and what is known of it. */
interface Asking {
  reasons: string[];
  passing: Passing;
}

/** Fires when the call is given up, or when nobody answered in time. */
function until(
  waitMs: number,
  { server, tool, signal }: Call,
): Disposable & { signal: AbortSignal } {
  const text = `nobody answered within ${waitMs} ms whether ${tool} of server "${server}" may be called`;
  const facts = { server, tool, timeoutMs: waitMs, option: "approvalTimeoutMs" };
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new HostError("denied", text, { facts })),
    Math.min(waitMs, timerMsMax),
  );
  return {
    signal: AbortSignal.any([signal, late.signal]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** Why it must be asked about; empty where it need not be. */
function reasonsOf({ actor }: Call, decision: Decision, { asks, isAllowed }: Said): string[] {
  const { do: what, rule, isAnswered } = decision;
  if (isAnswered) return [];
  if (what !== "ask" || (rule === undefined && isAllowed)) return asks;
  if (rule === undefined) return [`the calls of a ${actor} are asked about`, ...asks];
  const by = describeRule(rule);
  const why = rule.reason === undefined || rule.reason === by ? "" : `: ${rule.reason}`;
  return [`${by}${why}`, ...asks];
}
