/** A tool that a plugin brings: its schemas, and what runs it. Types only. */
import type { Json, JsonObject } from "../base/json.ts";
import type { ToolAnnotations } from "../protocol/mcp.ts";
import type { Outcome } from "./call.ts";

/** A schema of valibot, by the part that all such libraries have in common (standardschema.dev). */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
  };
}

/** What a tool's arguments are by its input schema; of a JSON Schema it is not known. */
export type ArgumentsOf<Input> = Input extends {
  readonly "~standard": { readonly types?: infer Types };
}
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : JsonObject
  : JsonObject;

export interface PluginTool<Input = unknown> {
  description: string;
  title?: string;
  /** A valibot object schema, or a JSON Schema. Arguments that do not fit never reach `run`. */
  input: Input;
  /** As `input`: what the result is then checked by, and given as structured content. */
  output?: unknown;
  annotations?: ToolAnnotations;
  /**
   * Returns text, any JSON value, content blocks or a whole result. What it throws is the tool's own error (`isError`). It
   * may take as long as any server's tool: `timeoutMs` without a word of progress.
   */
  run(args: ArgumentsOf<Input>, context: RunContext): unknown;
}

export interface RunContext {
  /** Fires when the call is given up. */
  signal: AbortSignal;
  /** Tells how far it is, and renews the time it has. */
  progress(progress: number, total?: number, message?: string): void;
  /** Into the log, as any server's. */
  log(text: string, level?: "debug" | "info" | "warning" | "error"): void;
  host: PluginHost;
}

/** The host as a tool of a plugin sees it. */
export interface PluginHost {
  /** Calls another tool, for whoever called this one: with their owner and as their actor, through the same gate. */
  call(request: { tool: string; arguments?: JsonObject; timeoutMs?: number }): Promise<Outcome>;
  /** The tools by the lists that were fetched last. */
  tools(): Promise<{ name: string; server: string; description?: string; inputSchema: Json }[]>;
}
