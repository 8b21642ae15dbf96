/**
 * The first half of the call path: which tool is meant, whether it may be called, and with what. Nothing is sent here, but
 * what lists the tools.
 */
import type { Cancel } from "../base/cancel.ts";
import { HostError } from "../base/errors.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import type { CallContext } from "./call-types.ts";
import { decide } from "./decide.ts";
import { fitting } from "./fitting.ts";
import type { Fitting } from "./fitting.ts";
import type { Gate } from "./gate-types.ts";
import type { HostCall } from "./host-call.ts";
import type { OwnedCallRequest } from "./opened-types.ts";
import { PassingCall } from "./passing.ts";
import type { AtGate } from "./passing.ts";
import type { Registry } from "./registry.ts";
import type { ListedTarget, Target } from "./tables.ts";
import type { HostTool } from "./types.ts";

/** What the name was found to mean before, where the call needs its tool's listing. */
export function known(
  { tool, validate, detach }: OwnedCallRequest,
  registry: Registry,
): ListedTarget | undefined {
  return validate === false && detach !== true ? undefined : registry.known(tool);
}

/** Without validation nothing is listed, unless the name or a rule needs it. @throws HostError as the registry */
export async function resolve(
  { tool, validate = true, detach = false, timeoutMs: waitMs, listedOnly }: OwnedCallRequest,
  { registry, policy }: CallContext,
  cancel: Cancel,
): Promise<Target> {
  const needed = validate || detach || policy.some((rule) => rule.annotations !== undefined);
  const target = needed ? undefined : registry.resolveUnlisted(tool);
  return target ?? (await registry.resolve(tool, { signal: cancel.signal, waitMs, listedOnly }));
}

/** The same tool by the name that it is shown by here: rules may name it so, too. */
export function shownAs(name: string, { server, tool, names, listed }: Target): Target {
  return {
    server,
    tool,
    names: [...names, name],
    listed: listed === undefined ? undefined : { ...listed, name },
  };
}

/** What a call became on its way to its server. */
export interface Prepared extends Fitting {
  /** The result, where it is known without the server. */
  result?: ToolResult | undefined;
}

/**
 * Rules, arguments, and the gate where there is one; at once where nothing has to be waited for. `call` may have other
 * arguments afterwards.
 * @throws HostError `denied` `usage`, and why the call was given up
 */
export function prepare(
  call: HostCall,
  target: Target,
  context: CallContext,
): Prepared | Promise<Prepared> {
  const decision = decide(call, target, context.policy);
  const { gate } = context;
  const isGated = gate !== undefined || decision.do === "ask" || call.request.resumes === true;
  if (!isGated) call.request.listener?.onCall?.(call);
  const fits = fitting(call.arguments, target, call, context);
  if (!isGated) return fits;
  const at = { call, target, context, decision };
  if (gate === undefined || fits instanceof Promise) return passLater(at, fits);
  return pass(at, fits.listed, gate);
}

/** What is hidden from who asks is told as if it were not there: no name near it, no other tool's name. */
export function unknownTool(tool: string): HostError {
  return new HostError("usage", `no tool is called ${JSON.stringify(tool)}`, { facts: { tool } });
}

// --- internal ---

/** Through a gate that is loaded first, or with arguments that are not known to fit at once. */
async function passLater(at: AtGate, fits: Fitting | Promise<Fitting>): Promise<Prepared> {
  const { call, context } = at;
  const passing = new PassingCall(at, (await fittingOf(call, fits)).listed);
  const gate = context.gate ?? (await gateOf(context));
  return through(call, passing, await gate.pass(call, passing));
}

/** Who asked hears that there is such a tool, and what of its arguments does not fit. */
async function fittingOf(call: HostCall, fits: Fitting | Promise<Fitting>): Promise<Fitting> {
  try {
    return await fits;
  } catch (error) {
    call.request.listener?.onCall?.(call);
    throw error;
  }
}

/** At once where nobody has anything to say. */
function pass(at: AtGate, listed: HostTool | undefined, gate: Gate): Prepared | Promise<Prepared> {
  const { call } = at;
  const passing = new PassingCall(at, listed);
  const passed = gate.pass(call, passing);
  if (passed === undefined) return through(call, passing);
  return passed.then((result) => through(call, passing, result));
}

function through(call: HostCall, { listed }: PassingCall, result?: ToolResult): Prepared {
  call.request.listener?.onCall?.(call);
  return { listed, result };
}

async function gateOf({ approve, keeper, approvalTimeoutMs, log }: CallContext) {
  const { PluginGate } = await import("./gate.ts");
  return new PluginGate({ approve, keeper, approvalTimeoutMs, log });
}
