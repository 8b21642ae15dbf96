/** What hooks are given, and what they may answer. When each runs stands on `Hooks`. */
import type { Json, JsonObject } from "../base/json.ts";
import type { ToolAnnotations } from "../protocol/mcp.ts";
import type { Actor } from "./call.ts";

/** A call as plugins see it: frozen, a copy, and nothing done to it changes ours. */
export interface PluginCall {
  readonly id: string;
  /** Whose call it is: `default` where there is one person. */
  readonly owner: string;
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** The name that the tool is shown by, where it is listed. */
  readonly name?: string;
  readonly arguments: Readonly<JsonObject>;
  readonly actor: Actor;
  /** What the server says of the tool: hints, not facts. */
  readonly annotations: Readonly<ToolAnnotations>;
  /** Fires when the call is given up. */
  readonly signal: AbortSignal;
}

/** What `beforeCall` may say; the decision is one of `deny`, `ask` and `allow`. */
export interface BeforeCall {
  /** It is not made; the reason is told to whoever asked. */
  deny?: string;
  /** It is made only if an approver says so; the reason is shown to them. */
  ask?: string;
  /** An explicit yes: it answers a default, and no rule or plugin that asks or denies. */
  allow?: true;
  /** Takes the place of the arguments: validated again, and the rules are applied again. */
  arguments?: JsonObject;
  /** The answer, without the server being asked: as what `run` of a tool returns. */
  result?: Json;
}

/** What `approve` may say of a call that is asked about. */
export type Approval = { approve: true; arguments?: JsonObject } | { reject: string };

/** Why a call is asked about. */
export interface Question {
  /** Each rule or plugin that asks, and its reason. */
  readonly reasons: readonly string[];
}

/** A tool of the list; `server` and `tool` say which it is. */
export interface OfferedTool {
  /** What it is shown and called by. */
  name: string;
  readonly server: string;
  /** The server's own name. */
  readonly tool: string;
  title?: string;
  description?: string;
  readonly inputSchema: Readonly<JsonObject>;
  readonly annotations?: Readonly<ToolAnnotations>;
}

/** A server as plugins see it before it is started or reached; its entry as written, without environment and headers. */
export interface PluginServer {
  readonly name: string;
  readonly kind: "stdio" | "http";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly url?: string;
}

/** How the link to a server ended. */
export interface ServerEnd {
  readonly kind: "exit" | "eof" | "local" | "error";
  readonly exitCode?: number;
  readonly signal?: string;
  readonly how?: string;
}

/** What a server asks, by the protocol's own params. */
export interface ServerRequest {
  readonly server: string;
  readonly params: Readonly<JsonObject>;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Why the answer before did not do; absent where it is asked for the first time. */
  readonly faults?: readonly string[];
}

/** One JSON-RPC message between the host and a server. */
export interface PluginFrame {
  readonly server: string;
  /** `out`: from us to the server. */
  readonly direction: "in" | "out";
  /** As it is on the wire. */
  readonly text: string;
}
