/**
 * One request of a client from its dressing to its judged answer, whatever is asked in between. It knows no method, and
 * nothing is sent again but what a server asked to have again.
 */
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { sliceMember } from "../base/slice.ts";
import type { Codec, Decoded, Envelope } from "../protocol/codec.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { urlElicitationRequired } from "../protocol/modes.ts";
import type { Answer, PeerRequestOptions } from "../transport/peer-types.ts";
import { capabilitiesOf } from "./answers.ts";
import type { ConnectOptions } from "./connect-types.ts";
import type { Inbound } from "./inbound.ts";
import type { Connection } from "./negotiate.ts";
import type { McpClient, Reply, RequestOptions } from "./types.ts";

/** `about`: as in the options of a peer's request. */
export type Ask = (
  method: string,
  params: JsonObject,
  options: RequestOptions,
  about?: PeerRequestOptions["about"],
) => Promise<Answer>;

/** What a request needs. */
export interface Line extends ConnectOptions {
  codec: Codec;
  listen: Inbound["listen"];
  ask: Ask;
  /** Itself. */
  client: () => McpClient;
}

/** How this client sends one request: dressed by the codec, with its own id as progress token. */
export function asker({ peer, codec }: Connection, options: ConnectOptions): Ask {
  const { clientInfo, logLevel } = options;
  const capabilities = capabilitiesOf(options.answers, codec.revision);
  /** One for all requests: each puts its id in and is dressed at once. */
  const envelope: Envelope = { clientInfo, capabilities, ...(logLevel && { logLevel }) };
  return (method, params, requestOptions, about) => {
    const { meta, logLevel: level, answers } = requestOptions;
    const own = meta === undefined ? params : { ...params, _meta: meta };
    const dressed = (id: number): JsonObject => {
      requestOptions.onId?.(id);
      envelope.progressToken = id;
      if (level === undefined && answers === undefined) return codec.params(own, envelope);
      return codec.params(own, {
        ...envelope,
        ...(level !== undefined && { logLevel: level }),
        ...(answers && { capabilities: capabilitiesOf(answers, codec.revision) }),
      });
    };
    return peer.request(method, dressed, {
      ...requestOptions,
      timeoutMs: requestOptions.timeoutMs ?? timeoutDefaultMs,
      about,
    });
  };
}

/** One request. `about`: as of a peer's request. */
export interface Asked {
  method: string;
  params: JsonObject;
  about?: PeerRequestOptions["about"];
}

/**
 * Sends a request and goes through what its server wants first: input rounds, URLs to be visited.
 * @throws RpcError; HostError as `McpClient.request`
 */
export async function request(
  line: Line,
  asked: Asked,
  requestOptions: RequestOptions,
): Promise<Reply> {
  const { name, ask, codec } = line;
  const { method, about } = asked;
  // An older server knows nothing of them.
  const rounds = codec.era === "modern" ? requestOptions.rounds : undefined;
  const params = rounds === undefined ? asked.params : { ...asked.params, ...rounds };
  let answer: Answer;
  try {
    answer = await ask(method, params, requestOptions, about);
  } catch (error) {
    answer = await afterConsent(error, line, asked, requestOptions);
  }
  let reply = replyOf(answer, method, line);
  const isAsked = reply.decoded.kind === "input";
  if (isAsked && rounds !== undefined) return handedOn(answer);
  if (isAsked) {
    const { inputRounds } = await import("./rounds.ts");
    // The request was handed over once, whatever follows: `onSent` has been called.
    const { onSent: _, ...again } = requestOptions;
    const more = async (extra: JsonObject) =>
      replyOf(await ask(method, { ...params, ...extra }, again, about), method, line);
    const { answers = line.answers } = requestOptions;
    const signal = signalOf(requestOptions);
    reply = await inputRounds({ first: reply, ask: more }, { ...line, answers, signal });
  }
  const result = completeOf(reply.decoded, name, about?.facts.tool);
  const { text } = reply;
  const raw = () => sliceMember(text, "result") ?? JSON.stringify(result);
  return { result, raw, ...(isAsked && { asked: true as const }) };
}

/** The signal of a request that goes through more than one exchange. */
export function signalOf({ cancel, signal }: RequestOptions): AbortSignal | undefined {
  return cancel?.signal ?? signal;
}

/** The questions of a server as they came, for whoever goes through the rounds. */
function handedOn({ response, text }: Answer): Reply {
  const result = response.result as JsonObject;
  const raw = () => sliceMember(text, "result") ?? JSON.stringify(result);
  return { result, raw, asked: true, isInput: true };
}

/** @throws HostError `rpc_error`: the answer is none */
export function completeOf(decoded: Decoded, server: string, tool?: string): JsonObject {
  if (decoded.kind === "complete") return decoded.result;
  const reason = decoded.kind === "invalid" ? decoded.reason : "it asks for input";
  throw new HostError("rpc_error", `server "${server}" gave an answer that is none: ${reason}`, {
    facts: { server, ...(tool !== undefined && { tool }) },
    hint: "that is a fault of the server",
  });
}

// --- internal ---

const timeoutDefaultMs = 60_000;

/** A legacy server may need URLs to be visited first: where that is done the request is sent once more. */
async function afterConsent(
  error: unknown,
  line: Line,
  { method, params, about }: Asked,
  requestOptions: RequestOptions,
): Promise<Answer> {
  const { answers = line.answers } = requestOptions;
  const { elicitUrl, relay } = answers;
  const mayAsk =
    line.codec.serverRequests && (relay ? relay.consents === true : elicitUrl !== undefined);
  if (!mayAsk || !(error instanceof RpcError) || error.code !== urlElicitationRequired) throw error;
  const { consents } = await import("./consents.ts");
  const { onSent: _, ...again } = requestOptions;
  const { timeoutMs: waitMs = timeoutDefaultMs } = again;
  const signal = signalOf(again);
  await consents(error, { ...line, answers, signal, waitMs });
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
