/**
 * One live MCP client over any transport, of either era: lists, calls with their input rounds, pings. Whether a call may
 * be made is decided elsewhere; nothing here is ever sent twice by itself.
 */
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import type { Tool } from "../protocol/mcp.ts";
import { ttlOf } from "../protocol/modern.ts";
import { readTools } from "../protocol/tools.ts";
import { askTool, callTool, taskLine, tasks } from "./call.ts";
import type { ConnectOptions } from "./connect-types.ts";
import { capabilitiesOf } from "./declared.ts";
import { keepListDigits } from "./digits.ts";
import { exchange } from "./exchange.ts";
import { createInbound } from "./inbound.ts";
import type { Line } from "./line.ts";
import { negotiate } from "./negotiate.ts";
import type { Connection } from "./negotiate.ts";
import { allPages, isRepetition } from "./pages.ts";
import { completeOf } from "./request-more.ts";
import { request } from "./request.ts";
import type { McpClient, RequestOptions, ToolList } from "./types.ts";

/**
 * Opens a link, finds out the era, greets the server. Aborting `options.signal` gives up; afterwards it has no meaning.
 * @throws HostError `server_start` · `cancelled` · `usage` (an unknown `protocol`)
 */
export async function connect(options: ConnectOptions): Promise<McpClient> {
  const inbound = createInbound(options);
  const connection = await negotiate(options, inbound);
  const { peer, codec, watch, capabilities, serverInfo, instructions, verdict } = connection;
  const { clientInfo, logLevel } = options;
  const declared = capabilitiesOf(options.answers, codec.revision);
  const line: Line = {
    ...options,
    peer,
    codec,
    envelope: { clientInfo, capabilities: declared, ...(logLevel && { logLevel }) },
    watch,
    listen: inbound.listen,
    ask: (method, params, more, about) => exchange(line, { method, params, about }, more),
    client: () => client,
  };
  setLogLevel(connection, options);
  const client: McpClient = {
    era: codec.era,
    revision: codec.revision,
    serverInfo,
    capabilities,
    instructions,
    verdict,
    ...(connection.isRemembered && { isRemembered: true }),
    closed: peer.closed,
    async listTools(requestOptions = {}) {
      try {
        return await listTools(line, requestOptions);
      } catch (error) {
        // It never said that it has any: it may be there for its prompts or resources.
        if (capabilities.tools || !isUnknownMethod(error)) throw error;
        return { tools: [], warnings: [] };
      }
    },
    request: (method, params, requestOptions = {}) =>
      request(line, { method, params }, requestOptions),
    notify: (method, params) => peer.notify(method, params),
    onNotification: (listener) => inbound.listen(listener),
    presume: (method, params) => inbound.onNotification(method, params),
    callTool: (tool, args, callOptions = {}) => callTool(line, tool, args, callOptions),
    askTool: (name, args, callOptions, caller) =>
      askTool(line, { name, arguments: args }, callOptions, caller),
    tasks: async () => (await tasks()).tasksOf(taskLine(line)),
    async ping(requestOptions = {}) {
      try {
        await line.ask(codec.ping ? "ping" : "server/discover", {}, requestOptions);
      } catch (error) {
        // Whoever answers is alive, whatever the answer.
        if (!(error instanceof RpcError)) throw error;
      }
    },
    drop: (how) => peer.drop(how),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
  return client;
}

// --- internal ---

/** Asks a legacy server for its logs; whether it takes that or not changes nothing. */
function setLogLevel({ peer, codec, capabilities }: Connection, options: ConnectOptions): void {
  const { name, log, logLevel: level } = options;
  if (!codec.setLevel || level === undefined || !capabilities.logging) return;
  peer.request("logging/setLevel", { level }, { timeoutMs: 60_000 }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    log({ level: "debug", server: name, text: `logging/setLevel failed: ${reason}` });
  });
}

async function listTools(line: Line, requestOptions: RequestOptions): Promise<ToolList> {
  const { name, codec, ask, pagesMax = 1000, toolsMax = 20_000 } = line;
  const warnings: string[] = [];
  const seen = new Set<string>();
  let freshUntil = Infinity;
  const { items, warning, failure } = await allPages<Tool>({
    pagesMax,
    itemsMax: toolsMax,
    restart() {
      warnings.length = 0;
      seen.clear();
      freshUntil = Infinity;
    },
    fetch: async (params) => {
      const { response, text } = await ask("tools/list", params, requestOptions);
      const result = completeOf(codec.decode("tools/list", response.result ?? null), name);
      freshUntil = Math.min(freshUntil, performance.now() + ttlOf(result));
      keepListDigits(result, "tools", text);
      const page = readTools(result, { seen });
      if (!isRepetition(params, page.tools))
        warnings.push(...page.warnings.slice(0, warningsMax - warnings.length));
      return { items: page.tools, nextCursor: result.nextCursor };
    },
  });
  if (warning) warnings.push(warning);
  return {
    tools: items,
    warnings,
    ...(failure && { failure }),
    ...(codec.era === "modern" && { freshUntil }),
  };
}

const warningsMax = 1000;

function isUnknownMethod(error: unknown): boolean {
  return error instanceof RpcError && error.code === methodNotFound;
}
