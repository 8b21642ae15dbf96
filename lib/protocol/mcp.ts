/**
 * MCP as neutral data, the same for every revision: what the rooms above the codecs see. Fields that we do not know
 * stay on the objects (protocol.md 1.1, 1.13). Pure types.
 */
import type { Json, JsonObject } from "../base/json.ts";

/** Self-reported: for display and logs only, never for behaviour or security. */
export interface Implementation extends JsonObject {
  name: string;
  version: string;
  title?: string;
}

/** Untrusted hints (defaults: readOnly false, destructive true, idempotent false, openWorld true). */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** A tool as its server lists it. `inputSchema` is `{}` where the server gave none (with a warning in the list). */
export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
  /** The whole object as it came. */
  raw: JsonObject;
}

/** The result of tools/call as it came. `content` may be missing or odd: read it with care. */
export interface ToolResult extends JsonObject {
  content?: Json;
  structuredContent?: Json;
  isError?: boolean;
}

/** A session with a legacy server over HTTP, by which another link can go on with it (protocol.md 1.6). Its id is a secret. */
export interface Session {
  id: string;
  /** The revision that was agreed on. */
  revision: string;
}

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
  /** Whatever its server says beside it. */
  _meta?: JsonObject;
}

export type Capabilities = JsonObject;

export type Era = "legacy" | "modern";

/** What we ask for: probe, or one era, or one revision. */
export type ProtocolChoice = "auto" | Era | string;

/** The eight syslog levels of log notifications. */
export type McpLogLevel =
  "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";
