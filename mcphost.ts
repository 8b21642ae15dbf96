#!/usr/bin/env -S bun --no-env-file --no-install --config=/dev/null
/** The command, and the module that others import: `createHost`, `definePlugin`, `isHostError` and the types, nothing more is public. */
import type { HostOptions } from "./lib/host/option-types.ts";
import type { Host } from "./lib/host/types.ts";

export { isHostError } from "./lib/base/errors.ts";
export { definePlugin } from "./lib/hooks/plugin.ts";

export type { ErrorCode, Facts, HostError } from "./lib/base/errors.ts";
export type { Json, JsonObject } from "./lib/base/json.ts";
export type { Log, LogEntry } from "./lib/base/log.ts";
export type { CompletionValues } from "./lib/client/completion.ts";
export type { Answerer, Answers, Asked } from "./lib/client/answer-types.ts";
export type { Limits, PolicyRule } from "./lib/config/types.ts";
export type { Actor, Outcome, OutputProblem } from "./lib/hooks/call.ts";
export type { PluginHost, PluginTool, RunContext } from "./lib/hooks/plugin-tool.ts";
export type {
  Approval,
  BeforeCall,
  OfferedTool,
  PluginCall,
  PluginFrame,
  PluginServer,
  Question,
  ServerEnd,
  ServerRequest,
} from "./lib/hooks/hook-types.ts";
export type { Hooks, Plugin, SetupContext } from "./lib/hooks/plugin.ts";
export type {
  CompleteRequest,
  HostAnswer,
  HostPrompt,
  HostResource,
  HostTemplate,
  ListRequest,
  PromptListing,
  PromptRequest,
  ReadRequest,
  ResourceListing,
} from "./lib/host/feature-types.ts";
export type { HostTask, ServerUpdate, SubscribeRequest } from "./lib/host/lasting-types.ts";
export type { HostOptions, HostServer } from "./lib/host/option-types.ts";
export type {
  CallRequest,
  Host,
  HostEvent,
  HostTool,
  ServerStatus,
  ToolListing,
} from "./lib/host/types.ts";
export type { Progress, Session, ToolAnnotations, ToolResult } from "./lib/protocol/mcp.ts";
export type { Task } from "./lib/protocol/tasks.ts";

/**
 * Opens a host over MCP servers; they start when first used, and end with it (`await using`).
 * @throws HostError `usage` for options that are not understood, the first of them by its path; Error elsewhere than in Bun
 */
export async function createHost(options: HostOptions): Promise<Host> {
  if (typeof Bun === "undefined") throw new Error("mcphost needs Bun: https://bun.sh");
  const module = await import("./lib/host/create.ts");
  return await module.createHost(options);
}

if (import.meta.main) {
  const { main } = await import("./lib/cli/main.ts");
  // What plugins find under this name is another one.
  const exit = process.exit.bind(process);
  exit(await main(Bun.argv.slice(2)));
}
