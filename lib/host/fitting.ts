/** Whether the arguments of a call fit its tool. Nothing is sent here, but what lists the tools anew. */
import type { JsonObject } from "../base/json.ts";
import type { CallContext } from "./call-types.ts";
import type { HostCall } from "./host-call.ts";
import type { ListedTarget, Target } from "./tables.ts";
import type { HostTool } from "./types.ts";

/** The tool as it is listed, where the arguments fit it. */
export interface Fitting {
  listed: HostTool | undefined;
}

/** The tool, as it is listed where the arguments fit it; at once where they surely do. @throws HostError `usage` */
export function fitting(
  args: JsonObject,
  target: Target,
  call: HostCall,
  context: CallContext,
): Fitting | Promise<Fitting> {
  const { listed } = target;
  if (listed === undefined || call.request.validate === false) return target;
  if (!context.validator.fits(listed, args))
    return fittingAnew(args, { ...target, listed }, call, context);
  warn(args, listed, call, context);
  return target;
}

// --- internal ---

/** Those that do not fit an old list may fit a new one (protocol.md 1.11). @throws HostError `usage` */
async function fittingAnew(
  args: JsonObject,
  target: ListedTarget,
  call: HostCall,
  context: CallContext,
): Promise<Fitting> {
  const { registry, validator } = context;
  let { listed } = target;
  try {
    await validator.checkArguments(listed, args);
  } catch (error) {
    const { signal } = call;
    const anew = await registry.anew(target, { signal });
    if (anew === undefined) throw error;
    listed = { ...anew.listed, name: listed.name };
    await validator.checkArguments(listed, args);
  }
  warn(args, listed, call, context);
  return { listed };
}

/** A person mistypes; programs have types, and are not to be slowed down. */
function warn(
  args: JsonObject,
  listed: HostTool,
  { request }: HostCall,
  { validator }: CallContext,
): void {
  if (request.actor === "user") validator.warnOfStrays(listed, args);
}
