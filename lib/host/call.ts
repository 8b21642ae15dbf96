/**
 * The one path of a tool call: resolve → prepare (rules, arguments) → execute → finalise (result, events). Every surface
 * comes through here. It never throws and never sends a call twice: what became of it is a value.
 */
import { HostError } from "../base/errors.ts";
import { debug, since } from "../base/log.ts";
import type { Log } from "../base/log.ts";
import type { PolicyRule } from "../config/types.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import { invalidParams } from "../protocol/jsonrpc.ts";
import type { Session } from "../protocol/mcp.ts";
import type { Task } from "../protocol/tasks.ts";
import { decide } from "./decide.ts";
import { toHostError } from "./failure.ts";
import { failureOf, outcomeOf } from "./outcome.ts";
import type { Registry } from "./registry.ts";
import type { RunningCalls } from "./running.ts";
import type { CallOptions } from "./server-types.ts";
import type { ListedTarget, Target } from "./tables.ts";
import type { HostEvent, HostTool, OwnedCallRequest } from "./types.ts";
import type { Validator } from "./validate.ts";

export interface CallContext {
  registry: Registry;
  policy: readonly PolicyRule[];
  validator: Validator;
  emit: (event: HostEvent) => void;
  log: Log;
  running: RunningCalls;
  /** Ends every call. */
  signal: AbortSignal;
}

export async function runCall(request: OwnedCallRequest, context: CallContext): Promise<Outcome> {
  const { registry, validator, policy, emit, log, running } = context;
  const { id = crypto.randomUUID(), signal: given } = request;
  const startedAt = performance.now();
  let call: Call | undefined;
  let sent = false;
  let outcome: Outcome;
  try {
    // Nobody can end it before the host does, where nobody has its id or a signal.
    const isLoose = given === undefined && request.id === undefined;
    const signal = isLoose ? context.signal : running.begin(id, given);
    const target = known(request, registry) ?? (await resolve(request, context, signal));
    if (request.admits?.(target.names) === false) throw unknownTool(request.tool);
    const { server } = target;
    let { listed } = target;
    const { tool, arguments: args } = (call = toCall(request, target, { id, signal }));
    emit({ type: "call_start", id: call.id, owner: call.owner, server: call.server, tool });
    decide(call, target, policy);
    request.onCall?.(call);
    if (listed !== undefined && request.validate !== false) {
      if (!validator.fits(listed, args))
        listed = await fitting(call, { ...target, listed }, context);
      // A person mistypes; programs have types, and are not to be slowed down.
      if (request.actor === "user") validator.warnOfStrays(listed, args);
    }
    const timeoutMs = request.timeoutMs ?? server.timeoutMs;
    let sentAt = 0;
    const onSent = () => {
      sent = true;
      sentAt = performance.now();
      debug(log, server.name, () => `tools/call of ${tool} is sent`);
    };
    const options = withOptional({ signal, timeoutMs, onSent }, request);
    let made: { task: Task; session?: Session } | undefined;
    if (request.detach === true || listed?.execution?.taskSupport === "required") {
      const { wishOf } = await import("./tasks-wish.ts");
      options.task = wishOf(listed, request.detach === true, (task, session) => {
        made = { task, ...(session && { session }) };
      });
    }
    const reply = await server.call(tool, args, options);
    debug(log, server.name, () => `tools/call of ${tool} is answered after ${since(sentAt)}`);
    outcome = outcomeOf(reply, performance.now() - startedAt);
    if (request.detach === true && made !== undefined) {
      const { durationMs } = outcome;
      outcome = { status: "detached", server: server.name, ...made, durationMs };
    }
    if (listed?.outputSchema !== undefined && outcome.status === "completed") {
      const problems = await validator.checkResult(listed, reply.result);
      if (problems !== undefined) outcome.outputMismatch = problems;
    }
  } catch (error) {
    const ours = toHostError(error, call?.server ?? request.tool, call?.tool);
    // An unknown tool, or arguments that do not fit: the list may be another by now (protocol.md 1.11).
    if (call !== undefined && ours.facts.rpcCode === invalidParams) registry.doubt(call.server);
    // Handed over is not sent where nobody took it.
    const isSent = sent && ours.facts.sent !== false;
    outcome = failureOf(ours, { sent: isSent, durationMs: performance.now() - startedAt });
  }
  running.done(id);
  const told = call ?? untold(id, request, outcome, emit);
  if (told !== undefined) {
    const { owner, server, tool } = told;
    const { status, durationMs } = outcome;
    emit({ type: "call_end", id, owner, server, tool, status, durationMs });
  }
  return outcome;
}

// --- internal ---

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

/** What the name was found to mean before, where the call needs its tool's listing. */
function known(
  { tool, validate, detach }: OwnedCallRequest,
  registry: Registry,
): ListedTarget | undefined {
  return validate === false && detach !== true ? undefined : registry.known(tool);
}

/** Without validation nothing is listed, unless the name or a rule needs it. */
async function resolve(
  { tool, validate = true, detach = false, timeoutMs: waitMs, listedOnly }: OwnedCallRequest,
  { registry, policy }: CallContext,
  signal: AbortSignal,
): Promise<Target> {
  const needed = validate || detach || policy.some((rule) => rule.annotations !== undefined);
  const target = needed ? undefined : registry.resolveUnlisted(tool);
  return target ?? (await registry.resolve(tool, { signal, waitMs, listedOnly }));
}

/**
 * The tool, as it is listed where the arguments fit it: those that do not fit an old list may fit a new one (protocol.md
 * 1.11). @throws HostError `usage`
 */
async function fitting(
  { arguments: args, signal }: Call,
  target: ListedTarget,
  { registry, validator }: CallContext,
): Promise<HostTool> {
  try {
    await validator.checkArguments(target.listed, args);
    return target.listed;
  } catch (error) {
    const anew = await registry.anew(target, { signal });
    if (anew === undefined) throw error;
    await validator.checkArguments(anew.listed, args);
    return anew.listed;
  }
}

function toCall(
  request: OwnedCallRequest,
  { server, tool, listed }: Target,
  { id, signal }: Pick<Call, "id" | "signal">,
): Call {
  const { arguments: args = {}, actor = "script", onProgress } = request;
  const call: Call = {
    id,
    owner: request.owner ?? "default",
    server: server.name,
    tool,
    arguments: args,
    actor,
    annotations: listed?.annotations ?? {},
    signal,
  };
  if (onProgress !== undefined) call.onProgress = onProgress;
  return call;
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

/** What is hidden from who asks is told as if it were not there: no name near it, no other tool's name. */
function unknownTool(tool: string): HostError {
  return new HostError("usage", `no tool is called ${JSON.stringify(tool)}`, { facts: { tool } });
}
