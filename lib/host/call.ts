/**
 * The one path of a tool call: resolve → prepare (rules, arguments) → execute → finalise (result, events). Every surface
 * comes through here. It never throws and never sends a call twice: what became of it is a value.
 */
import { HostError } from "../base/errors.ts";
import type { PolicyRule } from "../config/types.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import { approvalRules, compileRules, describeRule } from "../hooks/rules.ts";
import { toHostError } from "./failure.ts";
import type { Registry } from "./registry.ts";
import type { Target } from "./tables.ts";
import type { CallRequest, HostEvent } from "./types.ts";
import type { Validator } from "./validate.ts";

export interface CallContext {
  registry: Registry;
  policy: readonly PolicyRule[];
  validator: Validator;
  emit: (event: HostEvent) => void;
  /** Ends every call. */
  signal: AbortSignal;
}

export async function runCall(request: CallRequest, context: CallContext): Promise<Outcome> {
  const started = performance.now();
  const signal =
    request.signal === undefined
      ? context.signal
      : AbortSignal.any([request.signal, context.signal]);
  const elapsed = () => performance.now() - started;
  try {
    const target = await resolve(request, context, signal);
    const call = toCall(request, target, signal);
    const { id, tool } = call;
    const server = target.server.name;
    context.emit({ type: "call_start", id, server, tool });
    const attempt = { call, target, request, sent: false };
    const outcome = await execute(attempt, context, elapsed).catch((error: unknown) =>
      outcomeOf(toHostError(error, server, tool), { sent: attempt.sent, durationMs: elapsed() }),
    );
    context.emit({
      type: "call_end",
      id,
      server,
      tool,
      status: outcome.status,
      durationMs: outcome.durationMs,
    });
    return outcome;
  } catch (error) {
    const ours = toHostError(error, request.tool);
    return outcomeOf(ours, { sent: false, durationMs: elapsed() });
  }
}

// --- internal ---

interface Attempt {
  call: Call;
  target: Target;
  request: CallRequest;
  /** The call was handed over whole. */
  sent: boolean;
}

/** Without validation nothing is listed, unless the name or a rule needs it. */
async function resolve(
  { tool, validate = true, timeoutMs: waitMs }: CallRequest,
  { registry, policy }: CallContext,
  signal: AbortSignal,
): Promise<Target> {
  const needed = validate || policy.some((rule) => rule.annotations !== undefined);
  const target = needed ? undefined : registry.resolveUnlisted(tool);
  return target ?? (await registry.resolve(tool, { signal, waitMs }));
}

function toCall(request: CallRequest, { server, tool, listed }: Target, signal: AbortSignal): Call {
  const { arguments: args = {}, actor = "script", onProgress } = request;
  return {
    id: crypto.randomUUID(),
    owner: "default",
    server: server.name,
    tool,
    arguments: args,
    actor,
    annotations: listed?.annotations ?? {},
    signal,
    ...(onProgress !== undefined && { onProgress }),
  };
}

async function execute(
  attempt: Attempt,
  context: CallContext,
  elapsed: () => number,
): Promise<Outcome> {
  const { call, target, request } = attempt;
  const { listed, server } = target;
  decide(call, target, context.policy);
  if (listed !== undefined && request.validate !== false)
    await context.validator.checkArguments(listed, call.arguments);
  const timeoutMs = request.timeoutMs ?? server.timeoutMs;
  const options = {
    signal: call.signal,
    timeoutMs,
    ...(call.onProgress !== undefined && { onProgress: call.onProgress }),
    onSent: () => void (attempt.sent = true),
  };
  const reply = await server.use((client) => client.callTool(call.tool, call.arguments, options), {
    signal: call.signal,
    waitMs: timeoutMs,
  });
  const { result } = reply;
  const durationMs = elapsed();
  if (listed !== undefined) await context.validator.checkResult(listed, result);
  return {
    status: result.isError === true ? "failed" : "completed",
    result,
    // Cut out when asked for: it can be large, and is seldom wanted.
    get raw() {
      return reply.raw();
    },
    durationMs,
  };
}

/** @throws HostError `denied` */
function decide(call: Call, { server, names }: Target, policy: readonly PolicyRule[]): void {
  const rules = compileRules([...policy, ...approvalRules(server.config, names)]);
  const decision = rules({ ...call, names });
  if (decision.do === "allow" || decision.rule === undefined) return;
  const { rule } = decision;
  const by = describeRule(rule);
  const why = rule.reason === undefined || rule.reason === by ? "" : `: ${rule.reason}`;
  const what = `${call.tool} of server "${call.server}"`;
  const asked = rule.do === "ask";
  const text = asked
    ? `${what} needs approval and nobody can be asked here (${by}${why})`
    : `${what} is denied by ${by}${why}`;
  throw new HostError("denied", text, {
    facts: { server: call.server, tool: call.tool, rule: by },
    ...(asked && {
      hint: `allow it beforehand: change the rule, or pass --allow-tool ${call.tool}`,
    }),
  });
}

function outcomeOf(
  error: HostError,
  { sent, durationMs }: { sent: boolean; durationMs: number },
): Outcome {
  const common = { error, durationMs };
  if (error.code === "denied") return { status: "denied", ...common };
  if (error.code === "uncertain") return { status: "uncertain", ...common };
  if (error.code === "cancelled") return { status: "cancelled", sent, ...common };
  return { status: "failed", sent, ...common };
}
