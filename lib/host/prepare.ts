/**
 * The first half of the call path: which tool is meant, whether it may be called, and with what. Nothing is sent here, but
 * what lists the tools.
 */
import type { Cancel } from "../base/cancel.ts";
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Decision } from "../hooks/rules.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import type { CallContext } from "./call-types.ts";
import { decide } from "./decide.ts";
import type { FoundCall } from "./found-call.ts";
import type { Passing } from "./gate-types.ts";
import type { OwnedCallRequest } from "./opened-types.ts";
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
export interface Prepared {
  /** The tool as it is listed, where the arguments fit it. */
  listed: HostTool | undefined;
  /** The result, where it is known without the server. */
  result?: ToolResult | undefined;
}

/**
 * Rules, arguments, and the gate where there is one; at once where nothing has to be waited for. `call` may have other
 * arguments afterwards.
 * @throws HostError `denied` `usage`, and why the call was given up
 */
export function prepare(
  call: FoundCall,
  target: Target,
  context: CallContext,
): Prepared | Promise<Prepared> {
  const decision = decide(call, target, context.policy);
  if (context.gate !== undefined || decision.do === "ask")
    return pass(call, target, context, decision);
  call.request.listener?.onCall?.(call);
  return fitting(call.arguments, target, call, context);
}

/** What is hidden from who asks is told as if it were not there: no name near it, no other tool's name. */
export function unknownTool(tool: string): HostError {
  return new HostError("usage", `no tool is called ${JSON.stringify(tool)}`, { facts: { tool } });
}

// --- internal ---

/** As `prepare`, through the gate. */
async function pass(
  call: FoundCall,
  target: Target,
  context: CallContext,
  decision: Decision,
): Promise<Prepared> {
  const { request } = call;
  const gate = context.gate ?? (await gateOf(context));
  let { listed } = await fitting(call.arguments, target, call, context);
  const result = await gate.pass(call, {
    listed,
    decision,
    async revise(args: JsonObject) {
      ({ listed } = await fitting(args, { ...target, listed }, call, context));
      call.arguments = args;
      return decide(call, target, context.policy);
    },
    config: target.server.config,
    anew: () => anewOf(call, target, context),
    onWaiting: () => request.listener?.onWaiting?.(call),
  });
  request.listener?.onCall?.(call);
  return { listed, result };
}

async function gateOf({ approve, keeper, approvalTimeoutMs, log }: CallContext) {
  const { PluginGate } = await import("./gate.ts");
  return new PluginGate({ approve, keeper, approvalTimeoutMs, log });
}

/** The tool of a call that waited, under the servers and rules of now. @throws HostError `denied` `usage` */
async function anewOf(
  call: FoundCall,
  { server }: Target,
  { latest }: CallContext,
): ReturnType<Passing["anew"]> {
  const { registry, policy } = latest();
  const { signal, tool } = call;
  const now = await registry.resolve(`${server.name}/${tool}`, { signal });
  if (now.server !== server) throw serverChanged(call);
  decide({ ...call, names: now.names }, now, policy);
  const all = registry.listKnown().tools.filter((one) => one.server === server.name);
  return { listed: now.listed, all };
}

function serverChanged({ server, tool, id }: FoundCall): HostError {
  const text = `server "${server}" was changed while ${tool} waited for approval`;
  return new HostError("denied", text, {
    facts: { server, tool, call: id },
    hint: "call it again, to be asked about it as it is",
  });
}

/** The tool, as it is listed where the arguments fit it; at once where they surely do. @throws HostError `usage` */
function fitting(
  args: JsonObject,
  target: Target,
  call: FoundCall,
  context: CallContext,
): Prepared | Promise<Prepared> {
  const { listed } = target;
  if (listed === undefined || call.request.validate === false) return target;
  if (!context.validator.fits(listed, args))
    return fittingAnew(args, { ...target, listed }, call, context);
  warn(args, listed, call, context);
  return target;
}

/** Those that do not fit an old list may fit a new one (protocol.md 1.11). @throws HostError `usage` */
async function fittingAnew(
  args: JsonObject,
  target: ListedTarget,
  call: FoundCall,
  context: CallContext,
): Promise<Prepared> {
  const { registry, validator } = context;
  let { listed } = target;
  try {
    await validator.checkArguments(listed, args);
  } catch (error) {
    const { signal } = call;
    const anew = await registry.anew(target, { signal });
    if (anew === undefined) throw error;
    ({ listed } = anew);
    await validator.checkArguments(listed, args);
  }
  warn(args, listed, call, context);
  return { listed };
}

/** A person mistypes; programs have types, and are not to be slowed down. */
function warn(
  args: JsonObject,
  listed: HostTool,
  { request }: FoundCall,
  { validator }: CallContext,
): void {
  if (request.actor === "user") validator.warnOfStrays(listed, args);
}
