/**
 * The one path of a tool call: resolve → prepare (rules, arguments) → execute → finalise (result, events). Every surface
 * comes through here. It never throws and never sends a call twice: what became of it is a value. On the path of every call:
 * one async function, no wrapping of promises, and nothing is made for what nobody wants.
 */
import type { Outcome } from "../hooks/call.ts";
import { invalidParams } from "../protocol/jsonrpc.ts";
import type { CallContext } from "./call-types.ts";
import { toHostError } from "./failure.ts";
import { FoundCall } from "./found-call.ts";
import type { OwnedCallRequest } from "./opened-types.ts";
import { failureOf, knownOutcome } from "./outcome.ts";
import { known, prepare, resolve, shownAs, unknownTool } from "./prepare.ts";
import type { RunningCall } from "./running.ts";
import { answered, askForTask, isTask, optionsOf } from "./sending.ts";
import type { HostEvent, HostTool } from "./types.ts";
import type { Validator } from "./validate.ts";

export async function runCall(request: OwnedCallRequest, context: CallContext): Promise<Outcome> {
  const { registry, validator, gate, record } = context;
  const running = context.running.begin(request);
  let call: FoundCall | undefined;
  let listed: HostTool | undefined;
  let outcome: Outcome;
  try {
    const found = known(request, registry) ?? (await resolve(request, context, running));
    const target = request.shownAs === undefined ? found : shownAs(request.shownAs, found);
    if (request.admits?.(target.names) === false) throw unknownTool(request.tool);
    listed = target.listed;
    call = new FoundCall(running, target);
    if (context.hears("call_start")) context.emit({ type: "call_start", ...idsOf(call) });
    record?.begin(call);
    const preparing = prepare(call, target, context);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    listed = prepared.listed;
    call.track?.decided("allowed");
    if (prepared.result !== undefined) outcome = knownOutcome(prepared.result, running.durationMs);
    else {
      const { server } = target;
      const options = optionsOf(call, running, server, context);
      const made = isTask(request, listed) ? await askForTask(options, request, listed) : undefined;
      const reply = await server.call(call.tool, call.arguments, options);
      outcome = answered(reply, call, { running, made, log: context.log });
    }
    if (listed?.outputSchema !== undefined) outcome = await checked(outcome, listed, validator);
  } catch (error) {
    outcome = failed(error, running, call, context);
  }
  context.running.done(running);
  // Before anybody else hears of it.
  if (call?.track !== undefined) await call.track.ended(outcome);
  if (gate !== undefined && call !== undefined) {
    const ended = gate.ended(call, listed, outcome);
    const last = ended instanceof Promise ? await ended : ended;
    outcome = last === outcome ? last : await checked(last, listed, validator);
  }
  const told = call ?? untold(running, outcome, context);
  if (told !== undefined && context.hears("call_end")) context.emit(endOf(told, outcome));
  return outcome;
}

// --- internal ---

/** What events tell of a call. */
type CallIds = Pick<FoundCall, "id" | "owner" | "server" | "tool">;

function failed(
  error: unknown,
  running: RunningCall,
  call: FoundCall | undefined,
  { registry }: CallContext,
): Outcome {
  const ours = toHostError(error, call?.server ?? running.request.tool, call?.tool);
  // An unknown tool, or arguments that do not fit: the list may be another by now (protocol.md 1.11).
  if (call !== undefined && ours.facts.rpcCode === invalidParams) registry.doubt(call.server);
  // Handed over is not sent where nobody took it.
  const sent = running.isSent && ours.facts.sent !== false;
  return failureOf(ours, { sent, durationMs: running.durationMs });
}

/** With where it breaks the promise of its tool, if it does. */
async function checked(
  outcome: Outcome,
  listed: HostTool | undefined,
  validator: Validator,
): Promise<Outcome> {
  if (outcome.status !== "completed" || listed === undefined) return outcome;
  const outputMismatch = await validator.checkResult(listed, outcome.result);
  return outputMismatch === undefined ? outcome : { ...outcome, outputMismatch };
}

/** Tells of a call that failed before its tool was found, where it is known whose it is: its server cannot be reached, say. */
function untold(
  { id, request: { tool, owner = "default" } }: RunningCall,
  { error }: Outcome,
  { emit }: CallContext,
): CallIds | undefined {
  const server = error?.facts.server;
  if (server === undefined) return undefined;
  const told = { id, owner, server, tool: error?.facts.tool ?? tool };
  emit({ type: "call_start", ...told });
  return told;
}

function idsOf({ id, owner, server, tool }: CallIds): CallIds {
  return { id, owner, server, tool };
}

function endOf({ id, owner, server, tool }: CallIds, outcome: Outcome): HostEvent {
  const { status, durationMs } = outcome;
  const event: HostEvent = { type: "call_end", id, owner, server, tool, status, durationMs };
  if (wasGivenUp(outcome)) event.mayRun = true;
  return event;
}

/** The server was asked, and did not answer. */
function wasGivenUp(outcome: Outcome): boolean {
  if (!("sent" in outcome) || !outcome.sent) return false;
  const { code } = outcome.error;
  return code === "cancelled" || code === "timeout";
}
