/**
 * The first half of the call path: which tool is meant, whether it may be called, and with what. Nothing is sent here, but
 * what lists the tools.
 */
import type { Cancel } from "../base/cancel.ts";
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Call } from "../hooks/call.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import type { CallContext } from "./call-types.ts";
import { decide } from "./decide.ts";
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
 * Rules, arguments, and the gate where there is one. `call` may have other arguments afterwards.
 * @throws HostError `denied` `usage`, and why the call was given up
 */
export async function prepare(
  call: Call,
  target: Target,
  { request, context }: { request: OwnedCallRequest; context: CallContext },
): Promise<Prepared> {
  const { policy } = context;
  const decision = decide(call, target, policy);
  const gate = context.gate ?? (decision.do === "ask" ? await gateOf(context) : undefined);
  if (gate === undefined) request.listener?.onCall?.(call);
  const fit = fitting(call, target.listed, { target, request, context });
  let listed = fit instanceof Promise ? await fit : fit;
  if (gate === undefined) return { listed };
  const result = await gate.pass(call, {
    listed,
    decision,
    async revise(args: JsonObject) {
      const changed = { ...call, arguments: args };
      listed = await fitting(changed, listed, { target, request, context });
      call.arguments = args;
      return decide(call, target, policy);
    },
    config: target.server.config,
    anew: () => anewOf(call, target, context),
    onWaiting: () => request.listener?.onWaiting?.(call),
  });
  request.listener?.onCall?.(call);
  return { listed, result };
}

export function toCall(
  request: OwnedCallRequest,
  { server, tool, listed }: Target,
  { id, cancel }: { id: string; cancel: Cancel },
): Call {
  const { arguments: args = {}, actor = "user", onProgress } = request;
  const call: Call = {
    id,
    owner: request.owner ?? "default",
    server: server.name,
    tool,
    arguments: args,
    actor,
    annotations: listed?.annotations ?? {},
    get signal() {
      return cancel.signal;
    },
  };
  if (onProgress !== undefined) call.onProgress = onProgress;
  return call;
}

/** What is hidden from who asks is told as if it were not there: no name near it, no other tool's name. */
export function unknownTool(tool: string): HostError {
  return new HostError("usage", `no tool is called ${JSON.stringify(tool)}`, { facts: { tool } });
}

// --- internal ---

async function gateOf({ approve, keeper, approvalTimeoutMs, log }: CallContext) {
  const { PluginGate } = await import("./gate.ts");
  return new PluginGate({ approve, keeper, approvalTimeoutMs, log });
}

/** The tool of a call that waited, under the servers and rules of now. @throws HostError `denied` `usage` */
async function anewOf(
  call: Call,
  { server }: Target,
  { latest }: CallContext,
): ReturnType<Passing["anew"]> {
  const { registry, policy } = latest();
  const { signal, tool } = call;
  const now = await registry.resolve(`${server.name}/${tool}`, { signal });
  if (now.server !== server) throw serverChanged(call);
  decide(call, now, policy);
  const all = registry.listKnown().tools.filter((one) => one.server === server.name);
  return { listed: now.listed, all };
}

function serverChanged({ server, tool, id }: Call): HostError {
  const text = `server "${server}" was changed while ${tool} waited for approval`;
  return new HostError("denied", text, {
    facts: { server, tool, call: id },
    hint: "call it again, to be asked about it as it is",
  });
}

interface Fitting {
  target: Target;
  request: OwnedCallRequest;
  context: CallContext;
}

/** The tool, as it is listed where the arguments fit it; at once where they surely do. @throws HostError `usage` */
function fitting(
  call: Call,
  listed: HostTool | undefined,
  { target, request, context }: Fitting,
): HostTool | undefined | Promise<HostTool> {
  if (listed === undefined || request.validate === false) return listed;
  const { validator } = context;
  const isPerson = request.actor === "user";
  const warned = (fit: HostTool): HostTool => {
    // A person mistypes; programs have types, and are not to be slowed down.
    if (isPerson) validator.warnOfStrays(fit, call.arguments);
    return fit;
  };
  if (validator.fits(listed, call.arguments)) return warned(listed);
  return fittingAnew(call, { ...target, listed }, context).then(warned);
}

/** Those that do not fit an old list may fit a new one (protocol.md 1.11). @throws HostError `usage` */
async function fittingAnew(
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
