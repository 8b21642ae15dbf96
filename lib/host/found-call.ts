/** A call of a tool that was found, as rules and hooks know it. It decides nothing. */
import type { JsonObject } from "../base/json.ts";
import type { Actor, CallTrack } from "../hooks/call.ts";
import type { PluginCall } from "../hooks/hook-types.ts";
import type { RuleSubject } from "../hooks/rules.ts";
import type { ViewedCall } from "../hooks/view.ts";
import type { Progress, ToolAnnotations } from "../protocol/mcp.ts";
import type { OwnedCallRequest } from "./opened-types.ts";
import type { RunningCall } from "./running.ts";
import type { Target } from "./tables.ts";

/** On the path of every call: one object, and no signal before somebody asks for it. */
export class FoundCall implements ViewedCall, RuleSubject {
  readonly id: string;
  readonly owner: string;
  readonly server: string;
  readonly tool: string;
  readonly names: readonly string[];
  /** Changed by hooks and approvers, who `revise` it. */
  arguments: JsonObject;
  view: PluginCall | undefined;
  readonly actor: Actor;
  readonly annotations: ToolAnnotations;
  readonly onProgress?: (progress: Progress) => void;
  track?: CallTrack;
  /** What it was asked for with. */
  readonly request: OwnedCallRequest;
  readonly #running: RunningCall;

  constructor(running: RunningCall, { server, tool, names, listed }: Target) {
    const { id, request } = running;
    const { onProgress } = request;
    this.id = id;
    this.owner = request.owner ?? "default";
    this.server = server.name;
    this.tool = tool;
    this.names = names;
    this.arguments = request.arguments ?? {};
    this.actor = request.actor ?? "user";
    this.annotations = listed?.annotations ?? none;
    if (onProgress !== undefined) this.onProgress = onProgress;
    this.request = request;
    this.#running = running;
  }

  get signal(): AbortSignal {
    return this.#running.signal;
  }

  revise(args: JsonObject): void {
    this.arguments = args;
    this.view = undefined;
  }
}

// --- internal ---

const none: ToolAnnotations = Object.freeze({});
