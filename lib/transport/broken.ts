/**
 * Makes out whose answer a message was that cannot be parsed (too long, cut, not JSON), so that its request fails at once
 * and not by its time-out; or that stands where none should. Looks at the members of the outermost object only. Pure.
 */
import type { OversizeLine } from "../base/lines.ts";
import { isResponse } from "../protocol/jsonrpc.ts";
import type { RequestId } from "../protocol/jsonrpc.ts";
import { readMessage } from "../protocol/read.ts";
import type { Noise } from "./framed.ts";
import { isJsonLike, noiseOf, parse } from "./text.ts";
import type { Oversize, Received } from "./transport.ts";

/** What could be made out. */
export interface Glimpse {
  id?: RequestId;
  /** It has a method, so it answers nothing. */
  call?: true;
  /** It names `jsonrpc`: surely meant as a message. */
  jsonrpc: boolean;
}

/** `head` is the beginning of the text; `tail` its end where that is not in `head`. */
export function glimpse(head: string, tail = ""): Glimpse {
  const found = membersOf(head);
  const end = lastMembers.exec(tail);
  const id = found.id ?? end?.[1];
  const seen: Glimpse = { jsonrpc: found.jsonrpc || end !== null };
  if (found.call) seen.call = true;
  const value = id === undefined ? undefined : idOf(id);
  if (value !== undefined) seen.id = value;
  return seen;
}

/** Tells of a text that was meant as a JSON-RPC message with an id, but is no JSON; undefined if it was not. */
export function brokenMessage(text: string, bytesMax: number): Oversize | undefined {
  if (!text.startsWith("{")) return undefined;
  const { id, call, jsonrpc } = glimpse(text.slice(0, glimpseMax));
  if (!jsonrpc || id === undefined) return undefined;
  return oversize({
    bytes: text.length,
    bytesMax,
    id,
    call,
    reason: `is not valid JSON${why(text)}`,
  });
}

/** A line beyond the bound, by its first and last bytes. */
export function tooLong({ oversize: line }: OversizeLine, bytesMax: number): Oversize | Noise {
  const { bytes } = line;
  const head = decoder.decode(line.head).trimStart();
  if (!isJsonLike(head)) return noiseOf(head, `a line of ${bytes} bytes`);
  const { id, call } = glimpse(head, decoder.decode(line.tail));
  return oversize({ bytes, bytesMax, id, call });
}

/** The whole answer at the end of a line, behind text that was written without a newline: one, or none. */
export function answerBehind(line: string): Received[] {
  const start = line.search(/\{\s*"(?:jsonrpc|id|result|error)"\s*:/);
  const text = line.slice(start);
  const value = start > 0 ? parse(text) : undefined;
  const { message, odd } = readMessage(value);
  if (message === undefined || odd !== undefined || !isResponse(message)) return [];
  return [{ message, text, behindNoise: true }];
}

/** A message that was not taken, with what is known of it. */
export function oversize(known: {
  bytes: number;
  bytesMax: number;
  id: RequestId | undefined;
  call: true | undefined;
  reason?: string;
}): Oversize {
  const { id, call, ...rest } = known;
  return { oversize: { ...rest, ...(id !== undefined && { id }), ...(call && { call }) } };
}

/** The index of the quote that ends the string which begins at `start`; the length or more if none does. */
export function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index;
}

// --- internal ---

const decoder = new TextDecoder();

/** How far a broken text is searched for its id. */
const glimpseMax = 1_048_576;

const idPattern = String.raw`("(?:[^"\\]|\\.){0,200}"|-?[\d.eE+-]{1,30})`;

/** Many servers write the id last. Quotes within a string would be escaped, so this is no part of one. */
const lastMembers = new RegExp(
  String.raw`"id"\s*:\s*${idPattern}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`,
);

const member = new RegExp(String.raw`^"(id|method|jsonrpc)"\s*:\s*${idPattern}?`);

/** Walks brackets and strings; a member of the outermost object is a string at depth 1 with a colon behind it. */
function membersOf(text: string): { id?: string; call: boolean; jsonrpc: boolean } {
  const found: { id?: string; call: boolean; jsonrpc: boolean } = { call: false, jsonrpc: false };
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text[index];
    if (unit === "{" || unit === "[") depth++;
    else if (unit === "}" || unit === "]") depth--;
    else if (unit === '"') {
      const match = depth === 1 ? member.exec(text.slice(index, index + 300)) : null;
      if (match?.[1] === "method") found.call = true;
      if (match?.[1] === "jsonrpc") found.jsonrpc = true;
      if (match?.[1] === "id" && match[2] !== undefined) found.id = match[2];
      index = endOfString(text, index);
    }
  }
  return found;
}

/** What the parser says of it. */
function why(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return error instanceof SyntaxError ? error.message.replace(/^JSON Parse error/, "") : "";
  }
}

function idOf(text: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(text);
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  } catch {
    return undefined;
  }
}
