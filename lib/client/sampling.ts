/**
 * Sampling, between the server that asks and whoever has a model (protocol.md 1.15): what is faulty in a request is refused
 * with its reason, and what is no message is never sent. It knows no model. Loaded when a server first asks.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { invalidParams, RpcError } from "../protocol/jsonrpc.ts";
import type { AnswerOptions } from "./answer-types.ts";

/**
 * The message that the answerer gives.
 * @throws RpcError -32602 (a faulty request) · -1 (the answerer gave none: it was refused)
 */
export async function answerSample(
  params: JsonObject,
  options: AnswerOptions,
): Promise<JsonObject> {
  const { answers, name, signal } = options;
  const fault = requestFault(params);
  if (fault !== undefined) throw new RpcError({ code: invalidParams, message: fault });
  const answer = await answers.sample?.(params, { server: name, signal });
  if (answer === undefined) throw new RpcError({ code: refused, message: "sampling was refused" });
  const { role, model, content } = answer;
  const isMessage = role === "assistant" && typeof model === "string" && isContent(content);
  if (!isMessage) throw new Error("the answer to sampling/createMessage is no message");
  return answer;
}

/** What is wrong with a request: its shape, or the order of what tools were asked and what they gave. */
export function requestFault({ messages, maxTokens }: JsonObject): string | undefined {
  if (typeof maxTokens !== "number") return "maxTokens is missing";
  if (!Array.isArray(messages)) return "messages are missing";
  let open = new Set<Json>();
  for (const message of messages) {
    if (!isObject(message)) return "a message is not an object";
    const { role, content } = message;
    if (role !== "user" && role !== "assistant") return "a message has no role";
    if (!isContent(content)) return "a message has no content";
    const blocks = [content].flat().filter(isObject);
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length > 0 && (role !== "user" || results.length < blocks.length))
      return "a message with tool results holds something else";
    const answered = new Set(results.map(({ toolUseId }) => toolUseId ?? null));
    if (answered.size !== open.size || [...open].some((id) => !answered.has(id)))
      return "the tool results do not answer the tool uses before them";
    const uses = blocks.filter(({ type }) => type === "tool_use");
    if (uses.length > 0 && role !== "assistant") return "a message of the user uses tools";
    open = new Set(uses.map(({ id }) => id ?? null));
  }
  return open.size > 0 ? "a tool use has no result" : undefined;
}

// --- internal ---

/** A person or policy said no, in the words of the legacy text. */
const refused = -1;

function isContent(content: Json | undefined): content is Json {
  return isObject(content) || (Array.isArray(content) && content.every(isObject));
}
