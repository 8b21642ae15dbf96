/** A tool call on its way through the host, as rules and hooks know it, and what gives it up. It decides nothing. */
import { Cancel } from "../base/cancel.ts";
import type { Linked } from "../base/chain.ts";
import type { JsonObject } from "../base/json.ts";
import type { Actor, CallTrack } from "../hooks/call.ts";
import type { PluginCall } from "../hooks/hook-types.ts";
import type { RuleSubject } from "../hooks/rules.ts";
import type { ViewedCall } from "../hooks/view.ts";
import type { Progress, ToolAnnotations } from "../protocol/mcp.ts";
import type { OwnedCallRequest } from "./opened-types.ts";
import type { Target } from "./tables.ts";

/** One object from the asking to the outcome, since there is one for every call; no id and no signal before one is wanted. */
export class HostCall
  extends Cancel
  implements ViewedCall, RuleSubject, EventListenerObject, Linked<HostCall>
{
  before: HostCall | undefined;
  after: HostCall | undefined;
  /** What it was asked for with. */
  readonly request: OwnedCallRequest;
  readonly owner: string;
  readonly actor: Actor;
  /** What its name means, once that is found. */
  server = "";
  tool = "";
  names: readonly string[] = noNames;
  annotations: ToolAnnotations = none;
  /** Changed by hooks and approvers, who `revise` it. */
  arguments: JsonObject;
  view: PluginCall | undefined;
  readonly onProgress?: (progress: Progress) => void;
  track?: CallTrack;
  /** On the clock of `performance.now`. */
  readonly startedAt: number = performance.now();
  /** It was handed over whole. */
  isSent = false;
  #id: string | undefined;

  constructor(request: OwnedCallRequest) {
    super();
    const { onProgress } = request;
    this.request = request;
    this.owner = request.owner ?? "default";
    this.actor = request.actor ?? "user";
    this.arguments = request.arguments ?? {};
    if (onProgress !== undefined) this.onProgress = onProgress;
    this.#id = request.id;
  }

  get id(): string {
    return (this.#id ??= crypto.randomUUID());
  }

  /** False where nobody has asked for its id, too. */
  isCalled(id: string): boolean {
    return this.#id === id;
  }

  /** How long it has been running. */
  get durationMs(): number {
    return performance.now() - this.startedAt;
  }

  found(target: Target): void {
    this.server = target.server.name;
    this.tool = target.tool;
    this.names = target.names;
    this.annotations = target.listed?.annotations ?? none;
  }

  revise(args: JsonObject): void {
    this.arguments = args;
    this.view = undefined;
  }

  /** The signal that it was asked for with has fired. */
  handleEvent(): void {
    this.cancel(this.request.signal?.reason);
  }
}

// --- internal ---

const none: ToolAnnotations = Object.freeze({});
const noNames: readonly string[] = Object.freeze([]);
