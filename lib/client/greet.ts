/**
 * The two ways to greet a server, one request each: `server/discover` (modern) and `initialize` (legacy). Neither is ever
 * cancelled by a notification, and neither decides anything: negotiate.ts does.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { Codec } from "../protocol/codec.ts";
import { codecFor } from "../protocol/codecs.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import type { ErrorObject } from "../protocol/jsonrpc.ts";
import { initializeParams, readInitialize } from "../protocol/legacy.ts";
import type { Capabilities, Implementation } from "../protocol/mcp.ts";
import type { ProbeOutcome } from "../protocol/probe.ts";
import { retryRevision } from "../protocol/retry-revision.ts";
import type { Peer } from "../transport/peer-types.ts";
import type { ConnectOptions } from "./connect-types.ts";
import { capabilitiesOf } from "./declared.ts";

/** What a greeting tells about the server. */
export interface Greeting {
  codec: Codec;
  capabilities: Capabilities;
  serverInfo: Implementation | undefined;
  instructions: string | undefined;
  /** It is as it was found an earlier time: nothing was sent yet. */
  isRemembered?: true;
}

export interface GreetOptions extends ConnectOptions {
  peer: Peer;
  /** What to ask for. */
  revision: string;
  /** How long the answer may take. */
  timeoutMs: number;
}

/** Sends `server/discover` and says how that ended, with the error if there was one. @throws HostError `cancelled` */
export async function discover(
  options: GreetOptions,
): Promise<{ outcome: ProbeOutcome; error?: unknown }> {
  const { peer, revision, clientInfo, answers, signal, timeoutMs } = options;
  const codec = spoken(revision);
  const capabilities = capabilitiesOf(answers, revision);
  try {
    const { response } = await peer.request(
      "server/discover",
      (id) => codec.params({}, { clientInfo, capabilities, progressToken: id }),
      { signal, timeoutMs, timeoutMaxMs: timeoutMs, cancellable: false },
    );
    const { result } = response;
    return { outcome: result === undefined ? { kind: "malformed" } : { kind: "result", result } };
  } catch (error) {
    if (error instanceof RpcError) return { outcome: { kind: "error", error }, error };
    const outcome = isHostError(error) ? outcomeOf(error) : undefined;
    if (outcome === undefined) throw error;
    return { outcome, error };
  }
}

/**
 * Sends `initialize`; where the server refuses the revision by an error, once more with the best one it lists.
 * @throws RpcError the server's refusal
 * @throws HostError `server_start` (an answer that we cannot go on with), `timeout`, `server_exit`, `cancelled`
 */
export async function initialize(options: GreetOptions): Promise<Greeting> {
  const { peer, name, log, clientInfo, answers, signal, timeoutMs } = options;
  for (let asked = options.revision, isFirst = true; ; isFirst = false) {
    const params = initializeParams(asked, clientInfo, capabilitiesOf(answers, asked));
    try {
      const { response } = await peer.request("initialize", params, {
        signal,
        timeoutMs,
        timeoutMaxMs: timeoutMs,
        cancellable: false,
      });
      const read = readInitialize(response.result ?? null, asked);
      if ("invalid" in read) throw unusable(name, read.invalid);
      const { revision, ...greeting } = read;
      return { codec: spoken(revision), ...greeting };
    } catch (error) {
      const refusal = refusalIn(error);
      const other = refusal && retryRevision(refusal, asked, isFirst);
      if (!other) throw error;
      const text = `initialize with ${asked} was refused (${refusal.message}); trying ${other}`;
      log({ level: "debug", server: name, text });
      asked = other;
    }
  }
}

/** The codec of a revision that is known to be one of ours. */
export function spoken(revision: string): Codec {
  const codec = codecFor(revision);
  if (!codec) throw new Error(`no codec for ${revision}`);
  return codec;
}

// --- internal ---

/** What an error says of the probe; undefined: nothing, it is to be thrown. */
function outcomeOf({ code, facts, cause }: HostError): ProbeOutcome | undefined {
  const { httpStatus, contentType = "" } = facts;
  if (code === "timeout") return { kind: "silent" };
  if (code !== "server_exit" && code !== "rpc_error") return undefined;
  if (typeof httpStatus !== "number")
    return { kind: code === "server_exit" ? "closed" : "malformed" };
  if (httpStatus >= 300) return { kind: "refused", httpStatus };
  // A web page is of no server that could be greeted in another way, and a stream that broke says nothing.
  const isPage = code === "rpc_error" && contentType !== "" && contentType !== "application/json";
  const isLost = code === "server_exit" && cause !== undefined;
  return { kind: isPage || isLost ? "closed" : "malformed" };
}

/** The refusal that may name other revisions: over HTTP some say it without a message. */
function refusalIn(error: unknown): ErrorObject | undefined {
  if (error instanceof RpcError) return error;
  if (!isHostError(error)) return undefined;
  const { httpStatus, body } = error.facts;
  return httpStatus === 400 && typeof body === "string" ? { code: 0, message: body } : undefined;
}

function unusable(name: string, reason: string): HostError {
  return new HostError("server_start", `server "${name}" cannot be used: ${reason}`, {
    facts: { server: name },
    hint: "it may be newer or older than anything we speak, or no MCP server at all",
  });
}
