/**
 * Where names, rules, lists and calls of one host meet. Loaded when something is first asked, which is while the servers
 * start. It owns no server.
 */
import type { HostError } from "../base/errors.ts";
import type { Outcome } from "../hooks/call.ts";
import type { CallContext } from "./call-types.ts";
import { beginCall } from "./call.ts";
import type { ServerContext } from "./connection-types.ts";
import type { OwnedCallRequest } from "./opened-types.ts";
import { Registry } from "./registry.ts";
import { RunningCalls } from "./running.ts";
import type { HostedServer } from "./server.ts";
import type { HostTool, ResolveOptions, ToolListing } from "./types.ts";
import { Validator } from "./validate.ts";

export class Desk {
  readonly #servers: readonly HostedServer[];
  readonly #context: ServerContext;
  #registry: Registry;
  #calls: CallContext;

  /** @param servers in the order of the config */
  constructor(servers: readonly HostedServer[], context: ServerContext) {
    this.#servers = servers;
    this.#context = context;
    this.#registry = new Registry(servers, context);
    const { policy, gate, approve, keeper, record, emit, hears, signal, log, limits } = context;
    const validator = new Validator(log, limits?.schemaBytesMax);
    const running = new RunningCalls(signal);
    const { approvalTimeoutMs } = limits ?? {};
    const asked = { policy, gate, approve, keeper, approvalTimeoutMs, record };
    const latest = () => this.#calls;
    const common = { validator, emit, hears, log, running, signal, latest };
    this.#calls = { registry: this.#registry, ...asked, ...common };
  }

  /** The servers or the rules are others. Calls that run go on with those that they began with. */
  renew(): void {
    const { policy } = this.#context;
    this.#registry = new Registry(this.#servers, this.#context);
    this.#calls = { ...this.#calls, registry: this.#registry, policy };
  }

  /** As `Host.tools`. */
  tools(names: readonly string[] | undefined, signal?: AbortSignal): Promise<ToolListing> {
    return this.#registry.list(this.#within(signal), names);
  }

  /** As `OpenedHost.knownTools`. */
  knownTools(): ToolListing {
    return this.#registry.listKnown();
  }

  /** As `Host.resolve`. */
  async resolve(name: string, options: ResolveOptions = {}): Promise<HostTool> {
    const { anew, listedOnly } = options;
    const signal = this.#within(options.signal);
    const target = await this.#registry.resolve(name, { signal, listedOnly });
    return ((anew && (await this.#registry.anew(target, { signal }))) || target).listed;
  }

  /** As `Host.call`. */
  call(request: OwnedCallRequest): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    beginCall(request, this.#calls, resolve);
    return promise;
  }

  /** As `OpenedHost.ask`. */
  ask(request: OwnedCallRequest): void {
    beginCall(request, this.#calls);
  }

  /** As `OpenedHost.cancel`. */
  cancel(id: string, reason: HostError): boolean {
    return this.#calls.running.cancel(id, reason);
  }

  // --- internal ---

  #within(given: AbortSignal | undefined): AbortSignal {
    const { signal } = this.#context;
    return given === undefined ? signal : AbortSignal.any([given, signal]);
  }
}
