/** A call on its way through the gate. It decides nothing. */
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Decision } from "../hooks/rules.ts";
import type { CallContext } from "./call-types.ts";
import { decide } from "./decide.ts";
import { fitting } from "./fitting.ts";
import type { Passing } from "./gate-types.ts";
import type { HostCall } from "./host-call.ts";
import type { HostedConfig } from "./server-types.ts";
import type { Target } from "./tables.ts";
import type { HostTool } from "./types.ts";

/** What comes to the gate. */
export interface AtGate {
  call: HostCall;
  target: Target;
  context: CallContext;
  /** What the rules say of it as it stands. */
  decision: Decision;
}

export class PassingCall implements Passing {
  readonly decision: Decision;
  listed: HostTool | undefined;
  readonly #at: AtGate;

  /** @param listed the tool as it is listed, where the arguments fit it */
  constructor(at: AtGate, listed: HostTool | undefined) {
    this.decision = at.decision;
    this.listed = listed;
    this.#at = at;
  }

  get isKept(): boolean {
    return this.#at.call.request.resumes === true;
  }

  get config(): HostedConfig {
    return this.#at.target.server.config;
  }

  async revise(args: JsonObject, signal?: AbortSignal): Promise<Decision> {
    const { call, target, context } = this.#at;
    const fits = await fitting(args, { ...target, listed: this.listed }, call, context);
    signal?.throwIfAborted();
    this.listed = fits.listed;
    call.revise(args);
    return decide(call, target, context.policy);
  }

  /** The tool under the servers and rules of now. */
  async anew(): ReturnType<Passing["anew"]> {
    const { call, target, context } = this.#at;
    const { server } = target;
    const { registry, policy } = context.latest();
    const { signal, tool, request } = call;
    const now = await registry.resolve(`${server.name}/${tool}`, { signal });
    if (now.server !== server) throw serverChanged(call);
    const { shownAs } = request;
    const names = shownAs === undefined ? now.names : [...now.names, shownAs];
    decide({ ...call, names }, now, policy);
    const all = registry.listKnown().tools.filter((one) => one.server === server.name);
    return { listed: now.listed, all };
  }

  onWaiting(): void {
    const { call } = this.#at;
    call.request.listener?.onWaiting?.(call);
  }
}

// --- internal ---

function serverChanged({ server, tool, id }: HostCall): HostError {
  const text = `server "${server}" was changed while ${tool} waited for approval`;
  return new HostError("denied", text, {
    facts: { server, tool, call: id },
    hint: "call it again, to be asked about it as it is",
  });
}
