/**
 * One live MCP client over any transport, of either era: lists, calls with their input rounds, pings. Whether a call may
 * be made is decided elsewhere; nothing here is ever sent twice by itself.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { sliceMember } from "../base/slice.ts";
import { ttlOf } from "../protocol/caching.ts";
import type { Codec, Decoded } from "../protocol/codec.ts";
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import type { Tool } from "../protocol/mcp.ts";
import { urlElicitationRequired } from "../protocol/modes.ts";
import { readTools } from "../protocol/tools.ts";
import type { Answer, PeerRequestOptions } from "../transport/peer-types.ts";
import { capabilitiesOf } from "./answers.ts";
import { createInbound } from "./inbound.ts";
import type { Inbound } from "./inbound.ts";
import { negotiate } from "./negotiate.ts";
import type { Connection } from "./negotiate.ts";
import { allPages } from "./pages.ts";
import type { TaskContext } from "./tasks-wait.ts";
import type {
  CallOptions,
  CallReply,
  ConnectOptions,
  McpClient,
  Reply,
  RequestOptions,
  ToolList,
} from "./types.ts";

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
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
  return client;
}

// --- internal ---

/** `about`: as in the options of a peer's request. */
type Ask = (
  method: string,
  params: JsonObject,
  options: RequestOptions,
  about?: PeerRequestOptions["about"],
) => Promise<Answer>;

/** What a request needs. */
interface Line extends ConnectOptions {
  codec: Codec;
  listen: Inbound["listen"];
  ask: Ask;
  /** Itself. */
  client: () => McpClient;
}

const timeoutDefaultMs = 60_000;

/** How this client sends one request: dressed by the codec, with its own id as progress token. */
function asker({ peer, codec }: Connection, options: ConnectOptions): Ask {
  const { clientInfo, logLevel } = options;
  const capabilities = capabilitiesOf(options.answers, codec.revision);
  const envelope = { clientInfo, capabilities, ...(logLevel && { logLevel }) };
  return (method, params, requestOptions, about) => {
    const dressed = (id: number): JsonObject => {
      requestOptions.onId?.(id);
      return codec.params(params, { ...envelope, progressToken: id });
    };
    return peer.request(method, dressed, {
      ...requestOptions,
      timeoutMs: requestOptions.timeoutMs ?? timeoutDefaultMs,
      about,
    });
  };
}

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
      return await (await tasks()).callAsTask({ call, send }, taskLine(line), { ...options, task });
    const reply = await send(call, options);
    if (line.codec.era === "legacy" || reply.result.resultType !== "task") return reply;
    return await (await tasks()).followCall(reply, taskLine(line), options);
  } catch (error) {
    throw lossOf(error);
  }
}

const tasks = () => import("./tasks.ts");

function taskLine(line: Line): TaskContext {
  return { ...line, client: line.client() };
}

interface Asked {
  method: string;
  params: JsonObject;
  about?: PeerRequestOptions["about"];
}

async function request(line: Line, asked: Asked, requestOptions: RequestOptions): Promise<Reply> {
  const { name, ask } = line;
  const { method, params, about } = asked;
  const answer = await ask(method, params, requestOptions, about).catch((error: unknown) =>
    afterConsent(error, line, asked, requestOptions),
  );
  let reply = replyOf(answer, method, line);
  const isAsked = reply.decoded.kind === "input";
  if (isAsked) {
    const { inputRounds } = await import("./rounds.ts");
    // The request was handed over once, whatever follows: `onSent` has been called.
    const { onSent: _, ...again } = requestOptions;
    const more = async (extra: JsonObject) =>
      replyOf(await ask(method, { ...params, ...extra }, again, about), method, line);
    const { signal } = requestOptions;
    reply = await inputRounds({ first: reply, ask: more }, { ...line, signal });
  }
  const result = completeOf(reply.decoded, name, about?.facts.tool);
  const { text } = reply;
  const raw = () => sliceMember(text, "result") ?? JSON.stringify(result);
  return { result, raw, ...(isAsked && { asked: true as const }) };
}

/** A legacy server may need URLs to be visited first: where that is done the request is sent once more. */
async function afterConsent(
  error: unknown,
  line: Line,
  { method, params, about }: Asked,
  requestOptions: RequestOptions,
): Promise<Answer> {
  const mayAsk = line.codec.serverRequests && line.answers.elicitUrl !== undefined;
  if (!mayAsk || !(error instanceof RpcError) || error.code !== urlElicitationRequired) throw error;
  const { consents } = await import("./consents.ts");
  const { onSent: _, ...again } = requestOptions;
  const { signal, timeoutMs: waitMs = timeoutDefaultMs } = again;
  await consents(error, { ...line, signal, waitMs });
  return await line.ask(method, params, again, about);
}

/** An answer, read, and the exact text of the whole message. */
function replyOf(
  { response, text }: Answer,
  method: string,
  { codec }: Line,
): { decoded: Decoded; text: string } {
  return { decoded: codec.decode(method, response.result ?? null), text };
}

const warningsMax = 1000;

function isUnknownMethod(error: unknown): boolean {
  return error instanceof RpcError && error.code === methodNotFound;
}

/** @throws HostError `rpc_error`: the answer is none */
function completeOf(decoded: Decoded, server: string, tool?: string): JsonObject {
  if (decoded.kind === "complete") return decoded.result;
  const reason = decoded.kind === "invalid" ? decoded.reason : "it asks for input";
  throw new HostError("rpc_error", `server "${server}" gave an answer that is none: ${reason}`, {
    facts: { server, ...(tool !== undefined && { tool }) },
    hint: "that is a fault of the server",
  });
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
