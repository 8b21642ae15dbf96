/**
 * The one path of a tool call: resolve → prepare (rules, arguments) → execute → finalise (result, events). Every surface
 * comes through here. It never throws and never sends a call twice: what became of it is a value. Each step goes on at once
 * where nothing has to be waited for, and nothing is made for what nobody wants, since there may be many calls.
 */
import { isDebug, since } from "../base/log.ts";
import type { CallReply } from "../client/types.ts";
import type { Outcome } from "../hooks/call.ts";
import { invalidParams } from "../protocol/jsonrpc.ts";
import { endOf, startOf, unfound } from "./call-events.ts";
import type { CallContext, Settle } from "./call-types.ts";
import { toHostError } from "./failure.ts";
import { HostCall } from "./host-call.ts";
import type { OwnedCallRequest } from "./opened-types.ts";
import { failureOf, knownOutcome } from "./outcome.ts";
import { known, prepare, resolve, shownAs, unknownTool } from "./prepare.ts";
import type { Prepared } from "./prepare.ts";
import { answered, askForTask, isTask, optionsOf } from "./sending.ts";
import type { Made } from "./sending.ts";
import type { CallOptions, ServerCall } from "./server-types.ts";
import type { HostedServer } from "./server.ts";
import type { Target } from "./tables.ts";
import type { HostTool } from "./types.ts";

/** @param settle is told the outcome, beside the listener of the request */
export function beginCall(request: OwnedCallRequest, context: CallContext, settle?: Settle): void {
  new Run(request, context, settle).begin();
}

// --- internal ---

/** A call that goes its way. */
class Run extends HostCall implements ServerCall {
  readonly #context: CallContext;
  readonly #settle: Settle | undefined;
  /** What its name means, once that is found. */
  #target: Target | undefined;
  /** Its tool as it is listed, where the arguments fit it. */
  #listed: HostTool | undefined;
  /** Where a task was asked for. */
  #made: Made | undefined;
  #sentAt = 0;

  constructor(request: OwnedCallRequest, context: CallContext, settle?: Settle) {
    super(request);
    this.#context = context;
    this.#settle = settle;
  }

  begin(): void {
    const { running, registry } = this.#context;
    running.begin(this);
    try {
      const target = known(this.request, registry);
      if (target === undefined) void this.#resolve();
      else this.#means(target);
    } catch (error) {
      this.failed(error);
    }
  }

  sent(): void {
    this.isSent = true;
    this.request.listener?.onSent?.();
    if (!isDebug(this.#context.log)) return;
    this.#sentAt = performance.now();
    this.#debug("is sent");
  }

  answered(reply: CallReply): void {
    if (isDebug(this.#context.log)) this.#debug(`is answered after ${since(this.#sentAt)}`);
    this.#became(answered(reply, this, this.#made));
  }

  failed(error: unknown): void {
    this.#ended(this.#failureOf(error));
  }

  #failureOf(error: unknown): Outcome {
    const isFound = this.#target !== undefined;
    const [server, tool] = isFound ? [this.server, this.tool] : [this.request.tool, undefined];
    const ours = toHostError(error, server, tool);
    // An unknown tool, or arguments that do not fit: the list may be another by now (protocol.md 1.11).
    if (isFound && ours.facts.rpcCode === invalidParams) this.#context.registry.doubt(server);
    // Handed over is not sent where nobody took it.
    const sent = this.isSent && ours.facts.sent !== false;
    return failureOf(ours, { sent, durationMs: this.durationMs });
  }

  #debug(what: string): void {
    const { server, tool } = this;
    this.#context.log({ level: "debug", server, text: `tools/call of ${tool} ${what}` });
  }

  async #resolve(): Promise<void> {
    try {
      this.#means(await resolve(this.request, this.#context, this));
    } catch (error) {
      this.failed(error);
    }
  }

  #means(found: Target): void {
    const { request } = this;
    const context = this.#context;
    const target = request.shownAs === undefined ? found : shownAs(request.shownAs, found);
    if (request.admits?.(target.names) === false) throw unknownTool(request.tool);
    this.#target = target;
    this.#listed = target.listed;
    this.found(target);
    if (context.hears("call_start")) context.emit(startOf(this));
    context.gate?.begin(this);
    context.record?.begin(this);
    const prepared = prepare(this, target, context);
    if (prepared instanceof Promise) void this.#prepare(prepared, target);
    else this.#go(prepared, target);
  }

  async #prepare(preparing: Promise<Prepared>, target: Target): Promise<void> {
    try {
      this.#go(await preparing, target);
    } catch (error) {
      this.failed(error);
    }
  }

  /** It may be made. */
  #go({ listed, result }: Prepared, { server }: Target): void {
    this.#listed = listed;
    this.track?.decided("allowed");
    if (result !== undefined) return this.#became(knownOutcome(result, this.durationMs));
    const options = optionsOf(this, server);
    if (isTask(this.request, listed)) void this.#askForTask(server, options);
    else server.ask(this, options);
  }

  async #askForTask(server: HostedServer, options: CallOptions): Promise<void> {
    try {
      this.#made = await askForTask(options, this.request, this.#listed);
    } catch (error) {
      return this.failed(error);
    }
    server.ask(this, options);
  }

  /** It has a result. */
  #became(outcome: Outcome): void {
    if (this.#listed?.outputSchema === undefined) this.#ended(outcome);
    else void this.#check(outcome);
  }

  async #check(outcome: Outcome): Promise<void> {
    this.#ended(await this.#checked(outcome).catch((error) => this.#failureOf(error)));
  }

  /** With where it breaks the promise of its tool, if it does. */
  async #checked(outcome: Outcome): Promise<Outcome> {
    const listed = this.#listed;
    if (outcome.status !== "completed" || listed === undefined) return outcome;
    const outputMismatch = await this.#context.validator.checkResult(listed, outcome.result);
    return outputMismatch === undefined ? outcome : { ...outcome, outputMismatch };
  }

  /** It is written down, and goes through the hooks, before anybody else hears of it. */
  #ended(outcome: Outcome): void {
    const { running, gate } = this.#context;
    running.done(this);
    const isWritten = this.track !== undefined;
    if (this.#target !== undefined && (isWritten || gate !== undefined)) void this.#finish(outcome);
    else this.#tell(outcome);
  }

  async #finish(outcome: Outcome): Promise<void> {
    let last = outcome;
    try {
      if (this.track !== undefined) await this.track.ended(outcome);
      const ended = this.#context.gate?.ended(this, this.#listed, outcome) ?? outcome;
      last = ended instanceof Promise ? await ended : ended;
      if (last !== outcome) last = await this.#checked(last);
    } catch (error) {
      last = this.#failureOf(error);
    }
    this.#tell(last);
  }

  /** We may be called by the link that the answer came on: whatever a listener throws must not end it. */
  #tell(outcome: Outcome): void {
    const { hears, emit, log } = this.#context;
    // Heard of behind all of this.
    this.#settle?.(outcome);
    const ids = this.#target === undefined ? unfound(this, outcome) : this;
    try {
      if (ids !== undefined && ids !== this) emit(startOf(ids));
      if (ids !== undefined && hears("call_end")) emit(endOf(ids, outcome));
      this.request.listener?.onEnd?.(outcome);
    } catch (error) {
      log({ level: "error", text: `who listens to a call failed: ${String(error)}` });
    }
  }
}
