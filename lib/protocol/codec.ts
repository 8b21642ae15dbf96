/**
 * One value per revision, picked once when negotiation ends: how requests are dressed and results judged. What an era
 * lacks is absent (or false) here; nothing outside this room compares versions. Interface only.
 */
import type { Json, JsonObject } from "../base/json.ts";
import type { Capabilities, Era, Implementation, McpLogLevel } from "./mcp.ts";

/** What goes with a request besides its own params. */
export interface Envelope {
  clientInfo: Implementation;
  capabilities: Capabilities;
  progressToken?: number | string;
  logLevel?: McpLogLevel;
}

/** A result, judged. `input`: the server wants answers first (protocol.md 1.9). */
export type Decoded =
  | { kind: "complete"; result: JsonObject }
  | {
      kind: "input";
      inputRequests: Record<string, { method: string; params: JsonObject }>;
      requestState?: string;
    }
  | { kind: "invalid"; reason: string };

export interface Codec {
  readonly era: Era;
  readonly revision: string;
  /** The params of a request as this revision wants them: a new object, `_meta` of the caller kept. */
  params(params: JsonObject, envelope: Envelope): JsonObject;
  /** The same for params that are made with it: their `_meta`, with what the caller has there. */
  meta(own: Json | undefined, envelope: Envelope): JsonObject;
  /** It is the result, and nothing has to be done about it. Of what is not, `decode` says what it is. */
  isComplete(method: string, result: Json | undefined): result is JsonObject;
  /** Judges a result. Without a `resultType`, or with null, it is complete; numbers and the like are invalid. */
  decode(method: string, result: Json): Decoded;
  /** The server may send us requests (ping, roots, sampling, elicitation). */
  readonly serverRequests: boolean;
  /** `ping` exists. */
  readonly ping: boolean;
  /** The log level is set by a request (`logging/setLevel`), not by `_meta`. */
  readonly setLevel: boolean;
}
