/**
 * One live MCP client over any transport, of either era: lists, calls with their input rounds, pings. Whether a call may
 * be made is decided elsewhere; nothing here is ever sent twice by itself.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { ttlOf } from "../protocol/caching.ts";
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import type { Tool } from "../protocol/mcp.ts";
import { readTools } from "../protocol/tools.ts";
import type { ConnectOptions } from "./connect-types.ts";
import { createInbound } from "./inbound.ts";
import { negotiate } from "./negotiate.ts";
import type { Connection } from "./negotiate.ts";
import { allPages } from "./pages.ts";
import { asker, completeOf, request, signalOf } from "./request.ts";
import type { Line } from "./request.ts";
import type { TaskContext } from "./tasks-context.ts";
import type { CallOptions, CallReply, McpClient, RequestOptions, ToolList } from "./types.ts";

/**
 * Opens a link, finds out the era, greets the server. Aborting `options.signal` gives up; afterwards it has no meaning.
 * @throws HostError `server_start` · `cancelled` · `usage` (an unknown `protocol`)
 */
export async function connect(options: ConnectOptions): Promise<McpClient> {
  const inbound = createInbound(options);
  const connection = await negotiate(options, inbound);
  const { peer, codec, capabilities, serverInfo, instructions, verdict } = connection;
  const line: Line = {
    ...options,
    codec,
    listen: inbound.listen,
    ask: asker(connection, options),
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
        if (capabilities.tools || !isUnknownMethod(error)) throw error;
        return { tools: [], warnings: ["the server offers no tools"] };
      }
    },
    request: (method, params, requestOptions = {}) =>
      request(line, { method, params }, requestOptions),
    notify: (method, params) => peer.notify(method, params),
    onNotification: (listener) => inbound.listen(listener),
    presume: (method, params) => inbound.onNotification(method, params),
    callTool: (tool, args, callOptions = {}) =>
      callTool(line, { name: tool, arguments: args }, callOptions),
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
  const { items, warning } = await allPages<Tool>({
    pagesMax,
    itemsMax: toolsMax,
    restart() {
      warnings.length = 0;
      seen.clear();
      freshUntil = Infinity;
    },
    fetch: async (params) => {
      const { response } = await ask("tools/list", params, requestOptions);
      const result = completeOf(codec.decode("tools/list", response.result ?? null), name);
      freshUntil = Math.min(freshUntil, performance.now() + ttlOf(result));
      const page = readTools(result, { seen });
      warnings.push(...page.warnings.slice(0, warningsMax - warnings.length));
      return { items: page.tools, nextCursor: result.nextCursor };
    },
  });
  if (warning) warnings.push(warning);
  return { tools: items, warnings, ...(codec.era === "modern" && { freshUntil }) };
}

async function callTool(
  line: Line,
  call: { name: string; arguments: JsonObject },
  options: CallOptions,
): Promise<CallReply> {
  const { name: tool } = call;
  const about = { label: `tools/call of ${tool}`, facts: { tool } };
  const { task } = options;
  const send = (params: JsonObject, more: RequestOptions) =>
    request(line, { method: "tools/call", params, about }, more);
  try {
    if (task !== undefined)
      return await (
        await tasks()
      ).callAsTask({ call, send }, taskLine(line), {
        ...lasting(options),
        task,
      });
    const reply = await send(call, options);
    if (line.codec.era === "legacy" || reply.result.resultType !== "task") return reply;
    return await (await tasks()).followCall(reply, taskLine(line), lasting(options));
  } catch (error) {
    throw lossOf(error);
  }
}

const tasks = () => import("./tasks.ts");

/** Options of what takes several requests, some of them at a time. */
function lasting(options: CallOptions): CallOptions {
  const signal = signalOf(options);
  const { cancel: _, ...others } = options;
  return { ...others, ...(signal && { signal }) };
}

function taskLine(line: Line): TaskContext {
  return { ...line, client: line.client() };
}

const warningsMax = 1000;

function isUnknownMethod(error: unknown): boolean {
  return error instanceof RpcError && error.code === methodNotFound;
}

/** A link that was lost after a call was sent leaves open whether the call happened. */
function lossOf(error: unknown): unknown {
  if (!isHostError(error) || error.code !== "server_exit" || error.facts.sent !== true)
    return error;
  const text = `${error.message}: it may or may not have been done`;
  return new HostError("uncertain", text, {
    facts: error.facts,
    hint: "find out whether it was done before you call it again",
    cause: error,
  });
}
