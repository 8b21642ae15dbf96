/** What became of a call, as `POST /tools` tells it: llama-server's own fields, and everything beside them. Pure. */
import type { HostError } from "../base/errors.ts";
import { isDeeper, isObject, type Json, mayLoseDigits, parseJson } from "../base/json.ts";
import type { Outcome } from "../hooks/call.ts";
import { readContent } from "../protocol/content.ts";
import type { ContentBlock } from "../protocol/content.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import { errorBody } from "./http-error.ts";
import { depthMax, nestsBeyond } from "./read-json.ts";

/** What is kept of a result beside its text; a key of the server's own can never stand for one of ours. */
const kept = ["content", "structuredContent", "isError", "_meta"] as const;

/** The body of an answer at 200: `plain_text_response` or `error`, the whole content, and the call's id. */
export interface AnswerBody {
  plain_text_response?: string;
  error?: string;
  call: string;
  [more: string]: unknown;
}

/**
 * What became of a call as JSON. An error is told without the secrets that `redact` hides; what is nested too deeply to be
 * written is an error, too.
 */
export function answerText(
  outcome: Outcome,
  call: string,
  redact: (text: string) => string,
): string {
  const text = JSON.stringify(bodyOf(outcome, call));
  return outcome.error === undefined ? text : redact(text);
}

/** The same in the parts that `cut` makes of it. */
export function answerTexts(
  outcome: Outcome,
  call: string,
  redact: (text: string) => string,
  cut: (body: AnswerBody) => object[],
): string[] {
  const texts = cut(bodyOf(outcome, call)).map((part) => JSON.stringify(part));
  return outcome.error === undefined ? texts : texts.map(redact);
}

// --- internal ---

function bodyOf(outcome: Outcome, call: string): AnswerBody {
  return isTooDeep(outcome)
    ? { error: "the answer is nested too deeply to be passed on", code: "output", call }
    : answerOf(outcome, call);
}

/** Found out without trying, which would take seconds. */
function isTooDeep(outcome: Outcome): boolean {
  const { error, result } = outcome;
  if (error !== undefined) {
    const { rpcData = null } = error.facts;
    return isDeeper(rpcData as Json, depthMax);
  }
  return result !== undefined && !isPlain(result) && nestsBeyond(outcome.raw);
}

/** One text and nothing else, as most are: what cannot nest. */
function isPlain(result: ToolResult): boolean {
  const { content } = result;
  if (!Array.isArray(content) || content.length !== 1) return false;
  for (const key in result) if (key !== "content" && key !== "isError") return false;
  const only = content[0];
  if (!isObject(only)) return false;
  for (const key in only) if (typeof only[key] !== "string") return false;
  return typeof (result.isError ?? false) === "boolean";
}

function answerOf(outcome: Outcome, call: string): AnswerBody {
  const { error } = outcome;
  const result = exactResult(outcome);
  if (result === undefined) return error === undefined ? { call } : failureOf(error, call);
  const text = textOf(result);
  const body: Partial<AnswerBody> =
    result.isError === true
      ? { error: text === "" ? "the tool answered with an error" : text }
      : { plain_text_response: text };
  for (const key of kept) if (result[key] !== undefined) body[key] = result[key];
  body.call = call;
  return body as AnswerBody;
}

/** The result with each digit of its structured content: what was parsed on the way may have rounded some. */
function exactResult(outcome: Outcome): ToolResult | undefined {
  if (outcome.result === undefined) return undefined;
  const { result } = outcome;
  // The exact text is made when it is first asked for.
  if (result.structuredContent === undefined) return result;
  return mayLoseDigits(outcome.raw) ? (parseJson(outcome.raw) as ToolResult) : result;
}

/** The server's own words where it answered; `code` and the evidence beside them. */
function failureOf(error: HostError, call: string): AnswerBody {
  const { message, hint, ...facts } = errorBody(error);
  const own = error.cause instanceof RpcError ? error.cause.message : "";
  // A model reads this alone: what would fit is part of it.
  const told = error.code === "usage" && hint !== undefined ? `${message}\n${hint}` : message;
  return { error: own === "" ? told : own, ...facts, ...(hint !== undefined && { hint }), call };
}

/**
 * All that is text, joined by newlines: text blocks, embedded texts, the addresses of links, and as JSON what nobody knows;
 * where there is none, the structured content as JSON, or what else there is by its name: whoever reads this alone, as models
 * do, is not to take it for nothing.
 */
function textOf(result: ToolResult): string {
  const { content, structuredContent = result.toolResult } = result;
  // By far the most common.
  if (Array.isArray(content) && content.length === 1) {
    const [only] = content;
    if (isObject(only) && only.type === "text" && typeof only.text === "string") return only.text;
  }
  const blocks = readContent(result);
  const texts = blocks.flatMap(wordsOf);
  if (texts.length > 0) return texts.join("\n");
  return structuredContent === undefined
    ? blocks.flatMap(nameOf).join("\n")
    : JSON.stringify(structuredContent);
}

function wordsOf(block: ContentBlock): string[] {
  if (block.kind === "text" || block.kind === "resource") return [block.text];
  if (block.kind === "link") return [block.uri];
  if (block.kind !== "unknown") return [];
  const { value } = block;
  // It has nothing to say.
  if (isObject(value) && value.type === "text" && (value.text ?? null) === null) return [];
  return [typeof value === "string" ? value : JSON.stringify(value)];
}

/** What is binary, as whoever cannot see it is told. */
function nameOf(block: ContentBlock): string[] {
  if (!("base64" in block)) return [];
  const { kind, mimeType, base64 } = block;
  const bytes = Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
  return [
    `[${kind === "blob" ? "data" : kind}${mimeType === undefined ? "" : ` ${mimeType}`}, ${bytes} bytes]`,
  ];
}
