/**
 * Arguments of calls that a modern server wants in HTTP headers, too, as its list of tools says (protocol.md 1.5); and the
 * tools of a list that say it wrong. Loaded when a remote server is first used.
 */
import type { JsonObject } from "../base/json.ts";
import type { McpClient, ToolList } from "../client/types.ts";
import { argumentHeaders, headerFault } from "../protocol/argument-headers.ts";
import type { ArgumentHeaders } from "../protocol/argument-headers.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { headerMismatch } from "../protocol/meta.ts";
import { isSocketUrl } from "../transport/remote.ts";
import type { HostedConfig } from "./server-types.ts";
import type { ToolCache } from "./tool-list.ts";

export class CallHeaders {
  readonly #isHttp: boolean;
  readonly #lists: ToolCache;
  /** What the tools of one list want, as far as they were called. */
  #wanted = new Map<string, ArgumentHeaders | undefined>();
  #wantedBy: ToolList | undefined;

  constructor(config: HostedConfig, lists: ToolCache) {
    this.#isHttp = isHttp(config);
    this.#lists = lists;
  }

  /** Those of one call, as far as the schema of its tool is known; undefined: none. */
  of(
    client: McpClient,
    { tool, arguments: args }: { tool: string; arguments: JsonObject },
  ): Record<string, string> | undefined {
    if (!this.#areWanted(client)) return undefined;
    const { last } = this.#lists;
    if (last !== this.#wantedBy) {
      this.#wantedBy = last;
      this.#wanted = new Map();
    }
    if (!this.#wanted.has(tool)) {
      const schema = last && schemaOf(tool, last);
      this.#wanted.set(tool, schema && argumentHeaders(schema));
    }
    return this.#wanted.get(tool)?.(args);
  }

  /** The server says that those of a call are not what it wants: its list is another by now, and the call was not done. */
  areWrong(client: McpClient, error: unknown): boolean {
    return error instanceof RpcError && error.code === headerMismatch && this.#areWanted(client);
  }

  // --- internal ---

  /** Only Streamable HTTP has headers, and only the modern era asks for them. */
  #areWanted({ era }: McpClient): boolean {
    return this.#isHttp && era === "modern";
  }
}

/** A list without the tools that must not be used over HTTP, each with its reason (protocol.md 1.5). */
export function usableTools(list: ToolList, client: McpClient, config: HostedConfig): ToolList {
  if (client.era !== "modern" || !isHttp(config)) return list;
  const warnings = [...list.warnings];
  const unusable: { tool: string; why: string }[] = [];
  const tools = list.tools.filter(({ name, inputSchema }) => {
    const fault = headerFault(inputSchema);
    if (fault === undefined) return true;
    unusable.push({ tool: name, why: fault });
    warnings.push(`tool ${JSON.stringify(name.slice(0, 100))}: ${fault}: left out`);
    return false;
  });
  return { ...list, tools, warnings, unusable };
}

// --- internal ---

function schemaOf(tool: string, { tools }: ToolList): JsonObject | undefined {
  for (const { name, inputSchema } of tools) if (name === tool) return inputSchema;
  return undefined;
}

function isHttp(config: HostedConfig): boolean {
  return config.kind === "http" && !isSocketUrl(config.url);
}
