/**
 * Input rounds (`input_required`, protocol.md 1.9): a modern server asks before it finishes, we answer every question and
 * send the request again. Rounds are bounded and paced; a question that nobody can answer ends the request at once and is
 * shown. `requestState` goes back exactly as it came and is never read.
 */
import { sleep } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Decoded } from "../protocol/codec.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import type { AnswerOptions } from "./answer-types.ts";
import { answererOf, answerTo, refusalOf } from "./answers.ts";

export interface RoundOptions extends Omit<AnswerOptions, "signal"> {
  /** @default 10 */
  roundsMax?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Goes on from a first reply that asked for input, until the server asks no more, and returns its last reply. `ask` sends
 * the same request with what it is given beside the request's own params.
 * @throws HostError `rpc_error` (nobody to answer, too many rounds or questions); what `ask` or an answerer throws
 */
export async function inputRounds<Reply extends { decoded: Decoded }>(
  sent: { first: Reply; ask: (extra: JsonObject) => Promise<Reply> },
  options: RoundOptions,
): Promise<Reply> {
  const { name, roundsMax = 10, signal = new AbortController().signal } = options;
  let reply = sent.first;
  for (let round = 0; reply.decoded.kind === "input"; round++) {
    const { inputRequests, requestState } = reply.decoded;
    if (round >= roundsMax) {
      const text = `server "${name}" asked for input more than ${roundsMax} times`;
      throw new HostError("rpc_error", text, {
        facts: { server: name, roundsMax, inputRequests },
        hint: "it never came to an end, and the call was given up",
      });
    }
    const inputResponses = await answerAll(inputRequests, { ...options, signal });
    if (!inputResponses) await sleep(pauseMs(round), signal).catch(() => {});
    reply = await sent.ask({
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    });
  }
  return reply;
}

// --- internal ---

type InputRequests = Extract<Decoded, { kind: "input" }>["inputRequests"];

/** Questions of one round: more than a person would answer. */
const questionsMax = 100;

/**
 * Every key with its answer, in the order given; undefined where nothing was asked.
 * @throws HostError `rpc_error` (nobody to answer, too many questions); what an answerer throws
 */
export async function answerAll(
  requests: InputRequests,
  options: RoundOptions & { signal: AbortSignal },
): Promise<JsonObject | undefined> {
  const { name, answers, signal } = options;
  const asked = Object.entries(requests);
  if (asked.length === 0) return undefined;
  for (const [, refused] of asked) {
    const refusal = refusalOf(refused.method, refused.params, answers);
    if (refusal) throw nobody(refusal.message, requests, name, refused);
  }
  if (asked.length > questionsMax)
    throw nobody(`more than ${questionsMax} questions at once`, requests, name);
  const one = async ([key, { method, params }]: (typeof asked)[number]) => {
    try {
      return [key, await answerTo(method, params, { ...options, signal })] as const;
    } catch (error) {
      throw error instanceof RpcError ? unanswered(error, method, name) : error;
    }
  };
  // Whoever is behind us sorts them out.
  if (answers.relay !== undefined) return Object.fromEntries(await Promise.all(asked.map(one)));
  const responses: (readonly [string, JsonObject])[] = [];
  // One after the other: two questions at once on one terminal would be unreadable.
  for (const question of asked) responses.push(await one(question));
  return Object.fromEntries(responses);
}

/** Of more questions than anybody is asked none is better answered elsewhere, and there is no `refused`. */
function nobody(
  reason: string,
  requests: InputRequests,
  name: string,
  refused?: InputRequests[string],
): HostError {
  const option = refused && answererOf(refused.method, refused.params);
  const said = `server "${name}" needs input that nobody here can give (${reason})`;
  return new HostError("rpc_error", said + questionsIn(Object.entries(requests)), {
    facts: { server: name, inputRequests: requests, ...(option !== undefined && { option }) },
    hint: refused?.method === "roots/list" ? needsRoots : needsAnswer,
  });
}

const needsRoots = "name the folders that it may work in as `roots` of its config";
const needsAnswer =
  "give the server what it asks for by its arguments or its config, or somebody who answers";

/** What the server of an older revision would be told by an error: here there is nobody to tell it. */
function unanswered({ code, message }: RpcError, method: string, name: string): HostError {
  return new HostError("rpc_error", `${method} of server "${name}" was not answered: ${message}`, {
    facts: { server: name, rpcCode: code },
  });
}

/** The questions themselves, for the error. */
function questionsIn(asked: [string, { method: string; params: JsonObject }][]): string {
  const texts = asked
    .slice(0, 3)
    .map(([, { method, params }]) =>
      typeof params.message === "string" ? params.message : method,
    );
  return `: ${texts.join(" · ").slice(0, 500)}`;
}

/** A server that only hands back its state may be asked again at once; it gets a growing pause instead. */
function pauseMs(round: number): number {
  return Math.min(50 * 2 ** round, 1000);
}
