/**
 * What a server wants before it answers: input rounds, URLs to be visited. Nothing is sent again but what it asked to have
 * again.
 */
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { memberOf } from "../base/slice.ts";
import type { Decoded } from "../protocol/codec.ts";
import type { RpcError } from "../protocol/jsonrpc.ts";
import type { Answer } from "../transport/peer-types.ts";
import { keepInputDigits } from "./digits.ts";
import { timeoutDefaultMs } from "./exchange.ts";
import type { Asked, Line } from "./line.ts";
import type { RequestOptions } from "./types.ts";

/** A request that was answered, but not with its result. */
export interface Unfinished extends Asked {
  line: Line;
  options: RequestOptions;
}

/** An answer, read, and the exact text of the whole message. */
export interface Read {
  decoded: Decoded;
  text: string;
}

/** A result, and the exact text of the message that it came in. */
export interface Finished {
  result: JsonObject;
  text: string;
}

/** Goes on from a first answer that is no result. @throws as the request */
export async function goOn(first: Read, unfinished: Unfinished): Promise<Finished> {
  const { line, method, params, about, options } = unfinished;
  const { inputRounds } = await import("./rounds.ts");
  const again = handedOver(options);
  const more = async (extra: JsonObject) =>
    readOf(await line.ask(method, { ...params, ...extra }, again, about), unfinished);
  const { answers = line.answers } = options;
  const rounds = { ...line, answers, signal: signalOf(options) };
  return finished(await inputRounds({ first, ask: more }, rounds), unfinished);
}

/**
 * A legacy server may need URLs to be visited first: where that is done the request is sent once more.
 * @throws the error that says so, where nobody visits any; as the request
 */
export async function afterConsent(error: RpcError, unfinished: Unfinished): Promise<Finished> {
  const { line, method, params, about, options } = unfinished;
  const { answers = line.answers, timeoutMs: waitMs = timeoutDefaultMs } = options;
  const { elicitUrl, relay } = answers;
  const mayAsk =
    line.codec.serverRequests && (relay ? relay.consents === true : elicitUrl !== undefined);
  if (!mayAsk) throw error;
  const { consents } = await import("./consents.ts");
  await consents(error, { ...line, answers, signal: signalOf(options), waitMs });
  const answer = await line.ask(method, params, handedOver(options), about);
  return finished(readOf(answer, unfinished), unfinished);
}

/** An answer that may be no result yet: what it asks keeps its digits. */
export function readAnswer(
  result: Json,
  text: string,
  { line, method }: Pick<Unfinished, "line" | "method">,
): Read {
  const decoded = line.codec.decode(method, result);
  if (decoded.kind === "input" && isObject(result))
    keepInputDigits(result, memberOf(text, "result") ?? "");
  return { decoded, text };
}

/** The signal of a request that goes through more than one exchange. */
export function signalOf({ cancel, signal }: RequestOptions): AbortSignal | undefined {
  return cancel?.signal ?? signal;
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

/** The request was handed over once, whatever follows: `onSent` has been called. */
function handedOver(options: RequestOptions): RequestOptions {
  const { onSent: _, ...again } = options;
  return again;
}

function readOf({ response, text }: Answer, unfinished: Unfinished): Read {
  return readAnswer(response.result ?? null, text, unfinished);
}

function finished({ decoded, text }: Read, { line, about }: Unfinished): Finished {
  return { result: completeOf(decoded, line.name, about?.facts.tool), text };
}
