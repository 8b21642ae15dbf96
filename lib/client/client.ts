/**
 * One live MCP client over any transport, of either era: lists, calls with their input rounds, pings. Whether a call may
 * be made is decided elsewhere; nothing here is ever sent twice by itself.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { sliceMember } from "../base/slice.ts";
import type { Decoded } from "../protocol/codec.ts";
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import type { Tool, ToolResult } from "../protocol/mcp.ts";
import { readTools } from "../protocol/tools.ts";
import type { PeerRequestOptions } from "../transport/peer-types.ts";
import { capabilitiesOf } from "./answers.ts";
import { createInbound } from "./inbound.ts";
import { negotiate } from "./negotiate.ts";
import type { Connection } from "./negotiate.ts";
import { allPages } from "./pages.ts";
import type { CallReply, ConnectOptions, McpClient, RequestOptions, ToolList } from "./types.ts";

/**
 * Opens a link, finds out the era, greets the server. Aborting `options.signal` gives up; afterwards it has no meaning.
 * @throws HostError `server_start` · `cancelled` · `usage` (an unknown `protocol`)
 */
export async function connect(options: ConnectOptions): Promise<McpClient> {
  const inbound = createInbound(options);
  const connection = await negotiate(options, inbound);
  const { peer, codec, capabilities, serverInfo, instructions, verdict } = connection;
  const ask = asker(connection, options);
  setLogLevel(connection, options);
  return {
    era: codec.era,
    revision: codec.revision,
    serverInfo,
    capabilities,
    instructions,
    verdict,
    closed: peer.closed,
    async listTools(requestOptions = {}) {
      try {
        return await listTools(ask, { ...options, requestOptions });
      } catch (error) {
        if (capabilities.tools || !isUnknownMethod(error)) throw error;
        return { tools: [], warnings: ["the server offers no tools"] };
      }
    },
    callTool: async (tool, args, requestOptions = {}) => {
      try {
        return await callTool(ask, { ...options, tool, args, requestOptions });
      } catch (error) {
        throw lossOf(error);
      }
    },
    async ping(requestOptions = {}) {
      try {
        await ask(codec.ping ? "ping" : "server/discover", {}, requestOptions);
      } catch (error) {
        // Whoever answers is alive, whatever the answer.
        if (!(error instanceof RpcError)) throw error;
      }
    },
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

// --- internal ---

interface Reply {
  decoded: Decoded;
  /** The exact text of the whole message. */
  text: string;
}

type AskOptions = RequestOptions & Pick<PeerRequestOptions, "about">;

type Ask = (method: string, params: JsonObject, options: AskOptions) => Promise<Reply>;

/** How this client sends one request: dressed by the codec, with its own id as progress token. */
function asker({ peer, codec }: Connection, options: ConnectOptions): Ask {
  const { clientInfo, logLevel } = options;
  const capabilities = capabilitiesOf(options.answers);
  return async (method, params, { timeoutMs = 60_000, ...requestOptions }) => {
    const answer = await peer.request(
      method,
      (progressToken) =>
        codec.params(params, {
          clientInfo,
          capabilities,
          progressToken,
          ...(logLevel && { logLevel }),
        }),
      { timeoutMs, ...requestOptions },
    );
    return { decoded: codec.decode(method, answer.response.result ?? null), text: answer.text };
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

async function listTools(
  ask: Ask,
  options: ConnectOptions & { requestOptions: RequestOptions },
): Promise<ToolList> {
  const { name, pagesMax = 1000, toolsMax = 20_000, requestOptions } = options;
  const warnings: string[] = [];
  const seen = new Set<string>();
  const { items, warning } = await allPages<Tool>({
    pagesMax,
    itemsMax: toolsMax,
    fetch: async (params) => {
      const { decoded } = await ask("tools/list", params, requestOptions);
      const result = completeOf(decoded, name);
      const page = readTools(result, { seen });
      warnings.push(...page.warnings.slice(0, warningsMax - warnings.length));
      return { items: page.tools, nextCursor: result.nextCursor };
    },
  });
  if (warning) warnings.push(warning);
  return { tools: items, warnings };
}

async function callTool(
  ask: Ask,
  options: ConnectOptions & { tool: string; args: JsonObject; requestOptions: RequestOptions },
): Promise<CallReply> {
  const { name, tool, args, requestOptions, answers, roundsMax } = options;
  const params: JsonObject = { name: tool, arguments: args };
  const about = { label: `tools/call of ${tool}`, facts: { tool } };
  const first = await ask("tools/call", params, { ...requestOptions, about });
  let reply = first;
  if (first.decoded.kind === "input") {
    const { inputRounds } = await import("./rounds.ts");
    // The call was handed over once, whatever follows: `onSent` has been called.
    const { onSent: _, ...rest } = requestOptions;
    const again = { ...rest, about };
    reply = await inputRounds(
      { first, ask: (extra) => ask("tools/call", { ...params, ...extra }, again) },
      { name, answers, roundsMax, signal: requestOptions.signal },
    );
  }
  const result: ToolResult = completeOf(reply.decoded, name, tool);
  const { text } = reply;
  return { result, raw: () => sliceMember(text, "result") ?? JSON.stringify(result) };
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
