/**
 * The tools of a plugin as an MCP server in memory, so that they are listed, named, called, cancelled and told of like those
 * of any server. It reads nothing but its link.
 */
import { version } from "../../package.json";
import type { Json, JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import { thrownText } from "../hooks/frozen.ts";
import type { PluginHost, PluginTool, RunContext } from "../hooks/plugin-tool.ts";
import type { Plugin } from "../hooks/plugin.ts";
import { toResult } from "../hooks/result.ts";
import { invalidParams, methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import { memoryPair } from "../transport/memory.ts";
import type { Peer } from "../transport/peer-types.ts";
import { createPeer } from "../transport/peer.ts";
import type { Transport } from "../transport/transport.ts";
import { jsonSchemaOf, parsed } from "./plugin-schema.ts";
import { callKey } from "./sending.ts";
import type { PluginServer } from "./server-types.ts";

/**
 * It stands first in a host, so that no server has one of its names, and has each tool under the very name that it was given.
 * @throws HostError `config`: a schema that is none
 */
export async function pluginServer(
  plugin: Plugin,
  hostOf: (callId: string | undefined) => PluginHost,
): Promise<PluginServer> {
  const { name, tools = {} } = plugin;
  const listing = await listed(plugin);
  return {
    kind: "plugin",
    name,
    origin: { label: `plugin ${name}`, kind: "named" },
    written: { plugin: name },
    protocol: "legacy",
    lifecycle: "lazy",
    share: "all",
    // They may call each other, and must not wait for each other's end.
    concurrency: concurrencyMax,
    prefix: "",
    rename: Object.fromEntries(Object.keys(tools).map((tool) => [tool, tool])),
    open: async () => openPluginServer({ plugin, listing, hostFor: hostOf }),
  };
}

// --- internal ---

const concurrencyMax = 100_000;

interface PluginServerOptions {
  plugin: Plugin;
  /** Its tools, as `listed` gives them. */
  listing: readonly JsonObject[];
  /** The host, for whoever made the call of this id. */
  hostFor: (callId: string | undefined) => PluginHost;
}

/** A new link to it. */
function openPluginServer({ plugin, listing, hostFor }: PluginServerOptions): Transport {
  const [ours, theirs] = memoryPair();
  const peer: Peer = createPeer(theirs, {
    name: plugin.name,
    log: () => {},
    // How many run at once is the business of whoever calls.
    inboundMax: Infinity,
    async onRequest(method, params, signal) {
      if (method === "initialize") return greeting(plugin);
      if (method === "ping" || method === "logging/setLevel") return {};
      if (method === "tools/list") return { tools: [...listing] };
      if (method !== "tools/call")
        throw new RpcError({ code: methodNotFound, message: `no ${method}` });
      return await run(plugin, params, { peer, signal, hostFor });
    },
  });
  return ours;
}

/** Its tools as the protocol lists them. @throws HostError `config`: a schema that is none */
async function listed({ name: plugin, tools = {} }: Plugin): Promise<JsonObject[]> {
  return await Promise.all(
    Object.entries(tools).map(async ([name, tool]): Promise<JsonObject> => {
      const { title, description, input, output, annotations } = tool as PluginTool;
      const where = `plugin ${JSON.stringify(plugin)}: tool ${name}`;
      const inputSchema = await jsonSchemaOf(input, "input", `${where}: input`);
      return {
        name,
        ...(title !== undefined && { title }),
        description,
        inputSchema: { type: "object", ...inputSchema },
        ...(output !== undefined && {
          outputSchema: await jsonSchemaOf(output, "output", `${where}: output`),
        }),
        ...(annotations !== undefined && { annotations: { ...annotations } }),
      };
    }),
  );
}

/** Nothing in it needs a later revision. */
const revision = "2025-11-25";

function greeting({ name }: Plugin): JsonObject {
  return {
    protocolVersion: revision,
    capabilities: { tools: {}, logging: {} },
    serverInfo: { name, version },
  };
}

interface Running {
  peer: Peer;
  signal: AbortSignal;
  hostFor: PluginServerOptions["hostFor"];
}

async function run(plugin: Plugin, params: JsonObject, running: Running): Promise<Json> {
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  const { tools = {} } = plugin;
  const tool =
    typeof name === "string" && Object.hasOwn(tools, name)
      ? (tools[name] as PluginTool)
      : undefined;
  if (tool === undefined || !isObject(args) || !isObject(meta))
    throw new RpcError({ code: invalidParams, message: `no tool ${String(name)}` });
  try {
    const input = await parsed(tool.input, args);
    if ("problems" in input) return failed(`${String(name)}: ${input.problems.join("; ")}`);
    const given: unknown = await tool.run(input.value as never, contextOf(meta, running));
    return toResult(given, tool.output !== undefined);
  } catch (error) {
    const text = `${String(name)} of plugin ${JSON.stringify(plugin.name)} failed: `;
    return failed(`${text}${thrownText(error)}`);
  }
}

function failed(text: string): JsonObject {
  return { content: [{ type: "text", text }], isError: true };
}

function contextOf(meta: JsonObject, { peer, signal, hostFor }: Running): RunContext {
  const { progressToken, [callKey]: id } = meta;
  const tell = (method: string, params: JsonObject) =>
    void peer.notify(method, params).catch(() => {});
  return {
    signal,
    progress(progress, total, message) {
      if (progressToken === undefined) return;
      const more = {
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      };
      tell("notifications/progress", { progressToken, progress, ...more });
    },
    log: (text, level = "info") => tell("notifications/message", { level, data: text }),
    host: hostFor(typeof id === "string" ? id : undefined),
  };
}
