/**
 * The one path of a tool call: resolve → prepare (rules, arguments) → execute → finalise (result, events). Every surface
 * comes through here. It never throws and never sends a call twice: what became of it is a value.
 */
import type { Cancel } from "../base/cancel.ts";
import { debug, since } from "../base/log.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import { invalidParams } from "../protocol/jsonrpc.ts";
import type { Session } from "../protocol/mcp.ts";
import type { Task } from "../protocol/tasks.ts";
import type { CallContext } from "./call-types.ts";
import { toHostError } from "./failure.ts";
import type { OwnedCallRequest } from "./opened-types.ts";
import { failureOf, knownOutcome, outcomeOf } from "./outcome.ts";
import { known, prepare, resolve, shownAs, toCall, unknownTool } from "./prepare.ts";
import type { CallOptions } from "./server-types.ts";
import type { HostedServer } from "./server.ts";
import type { HostTool } from "./types.ts";
import type { Validator } from "./validate.ts";

export async function runCall(request: OwnedCallRequest, context: CallContext): Promise<Outcome> {
  const { registry, validator, gate, emit, running, record } = context;
  const { id = crypto.randomUUID(), signal: given } = request;
  const way: Way = { startedAt: performance.now(), isSent: false };
  let call: Call | undefined;
  let listed: HostTool | undefined;
  let outcome: Outcome;
  try {
    const cancel = running.begin(id, given);
    const found = known(request, registry) ?? (await resolve(request, context, cancel));
    const target = request.shownAs === undefined ? found : shownAs(request.shownAs, found);
    if (request.admits?.(target.names) === false) throw unknownTool(request.tool);
    listed = target.listed;
    call = toCall(request, target, { id, cancel });
    const { owner, server, tool } = call;
    emit({ type: "call_start", id, owner, server, tool });
    record?.of(call);
    const prepared = await prepare(call, target, { request, context });
    listed = prepared.listed;
    record?.of(call)?.decided("allowed");
    outcome =
      prepared.result === undefined
        ? await execute(call, { server: target.server, listed, request, context, cancel, way })
        : knownOutcome(prepared.result, performance.now() - way.startedAt);
    if (listed?.outputSchema !== undefined) await checkOutput(outcome, listed, validator);
  } catch (error) {
    const ours = toHostError(error, call?.server ?? request.tool, call?.tool);
    // An unknown tool, or arguments that do not fit: the list may be another by now (protocol.md 1.11).
    if (call !== undefined && ours.facts.rpcCode === invalidParams) registry.doubt(call.server);
    // Handed over is not sent where nobody took it.
    const sent = way.isSent && ours.facts.sent !== false;
    outcome = failureOf(ours, { sent, durationMs: performance.now() - way.startedAt });
  }
  running.done(id);
  // Before anybody else hears of it.
  if (record !== undefined && call !== undefined) await record.of(call)?.ended(outcome);
  if (gate !== undefined && call !== undefined) {
    const answered = outcome;
    outcome = await gate.ended(call, listed, answered);
    if (outcome !== answered && listed !== undefined) await checkOutput(outcome, listed, validator);
  }
  const told = call ?? untold(id, request, outcome, emit);
  if (told !== undefined) {
    const { owner, server, tool } = told;
    const { status, durationMs } = outcome;
    const mayRun = wasGivenUp(outcome) && { mayRun: true as const };
    emit({ type: "call_end", id, owner, server, tool, status, durationMs, ...mayRun });
  }
  return outcome;
}

/** The key of `_meta` by which a tool of a plugin finds the call that it runs for. It never leaves the process. */
export const callKey = "mcphost/call";

// --- internal ---

/** The server was asked, and did not answer. */
function wasGivenUp(outcome: Outcome): boolean {
  if (!("sent" in outcome) || !outcome.sent) return false;
  const { code } = outcome.error;
  return code === "cancelled" || code === "timeout";
}

interface Way {
  /** On the clock of `performance.now`. */
  startedAt: number;
  /** It was handed over whole. */
  isSent: boolean;
}

interface Executing {
  server: HostedServer;
  listed: HostTool | undefined;
  request: OwnedCallRequest;
  context: CallContext;
  cancel: Cancel;
  way: Way;
}

/** Sends the call and waits for its answer. @throws HostError, RpcError */
async function execute(
  call: Call,
  { server, listed, request, context, cancel, way }: Executing,
): Promise<Outcome> {
  const { id, tool, arguments: args } = call;
  const { log } = context;
  const timeoutMs = request.timeoutMs ?? server.timeoutMs;
  let sentAt = 0;
  const onSent = () => {
    way.isSent = true;
    request.listener?.onSent?.();
    sentAt = performance.now();
    debug(log, server.name, () => `tools/call of ${tool} is sent`);
  };
  const options = withOptional({ cancel, timeoutMs, onSent }, request);
  const track = context.record?.of(call);
  if (track !== undefined) options.onSending = () => track.sending();
  if (server.config.kind === "plugin") options.meta = { ...options.meta, [callKey]: id };
  let made: { task: Task; session?: Session } | undefined;
  const { detach = false, asTask = detach, onTask } = request;
  const unbounded = asTask || onTask !== undefined;
  if (unbounded || listed?.execution?.taskSupport === "required") {
    const { wishOf } = await import("./tasks-wish.ts");
    options.task = wishOf(listed, { detach, asTask, unbounded }, (task, session) => {
      made = { task, ...(session && { session }) };
      onTask?.(task);
    });
  }
  const reply = await server.call(tool, args, options);
  debug(log, server.name, () => `tools/call of ${tool} is answered after ${since(sentAt)}`);
  const durationMs = performance.now() - way.startedAt;
  if (detach && made !== undefined)
    return { status: "detached", server: server.name, ...made, durationMs };
  return outcomeOf(reply, durationMs);
}

async function checkOutput(
  outcome: Outcome,
  listed: HostTool,
  validator: Validator,
): Promise<void> {
  if (outcome.status !== "completed") return;
  const problems = await validator.checkResult(listed, outcome.result);
  if (problems !== undefined) outcome.outputMismatch = problems;
}

/** Tells of a call that failed before its tool was found, where it is known whose it is: its server cannot be reached, say. */
function untold(
  id: string,
  { tool, owner = "default" }: OwnedCallRequest,
  { error }: Outcome,
  emit: CallContext["emit"],
) {
  const server = error?.facts.server;
  if (server === undefined) return undefined;
  const told = { id, owner, server, tool: error?.facts.tool ?? tool };
  emit({ type: "call_start", ...told });
  return told;
}

/** `options` with what else was asked for. */
function withOptional(
  options: CallOptions,
  { onProgress, meta, logLevel, answers, rounds }: OwnedCallRequest,
): CallOptions {
  if (onProgress !== undefined) options.onProgress = onProgress;
  if (meta !== undefined) options.meta = meta;
  if (logLevel !== undefined) options.logLevel = logLevel;
  if (answers !== undefined) options.answers = answers;
  if (rounds !== undefined) options.rounds = rounds;
  return options;
}
