/**
 * Results as texts that clients of a revision take: the bytes that the server sent wherever they will do, without fields
 * that the revision does not know, with those that it demands (protocol.md 2.3, 2.4). Pure.
 */
import { version } from "../../package.json";
import { isObject, mayLoseDigits, parseJson } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { skipSpace } from "../base/slice.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import { metaPrefix } from "../protocol/meta.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import { inWords, strictResult } from "./gateway-strict-results.ts";
import type { Shape } from "./gateway-strict-results.ts";
import { nestsBeyond } from "./read-json.ts";

/** Who we say that we are. */
export const ourInfo = { name: "mcphost", version } as const;

/** Who we are, as every modern result tells. */
export const ourMeta = { _meta: { [`${metaPrefix}serverInfo`]: ourInfo } };

/** Of a modern result that may be kept, and is not to be: what is behind a gateway depends on who asks. */
const uncached = { ttlMs: 0, cacheScope: "private" } as const;

/**
 * The text of a result that a server gave. `shape`: what it is of, where that is one of those; `kept`: modern clients may keep
 * it for as long as it says.
 * @throws RpcError -32603 where it had to be written anew and is nested too deeply for that
 */
export function resultText(
  { result, raw }: { result: JsonObject; raw: string },
  knows: Knowledge,
  { shape, kept = false }: { shape?: Shape; kept?: boolean } = {},
): string {
  const shown = shownTo(strictResult(result, shape), knows);
  const isAsCame = shown === result && (result.isError === undefined || saysFlag(raw));
  if (!isAsCame && nestsBeyond(raw)) throw new RpcError(tooDeep);
  const whole = isAsCame ? result : wholeResult(result, raw);
  const anew = () => (whole === result ? shown : shownTo(strictResult(whole, shape), knows));
  const text = isAsCame ? raw : JSON.stringify(anew());
  if (knows.era === "legacy") return text;
  const head =
    (shown.resultType === undefined ? texts.complete : "") +
    (kept && typeof shown.ttlMs !== "number" ? texts.uncached : "") +
    (shown._meta === undefined ? texts.meta : "");
  return spliced(text, head);
}

/** A result with all of its digits, for what is written anew: `result` may have been read with plain numbers. */
export function wholeResult(result: JsonObject, raw: string): JsonObject {
  return mayLoseDigits(raw) ? (parseJson(raw) as JsonObject) : result;
}

/** The text of a result that asks a modern client for input. */
export function inputText(result: JsonObject): string {
  const { _meta: meta } = result;
  return JSON.stringify({
    ...result,
    resultType: "input_required",
    _meta: { ...ourMeta._meta, ...(isObject(meta) && meta) },
  });
}

/** The text of a result of our own. `kept` as of `resultText`. */
export function ownText(result: JsonObject, { era }: Knowledge, kept = false): string {
  if (era === "legacy") return JSON.stringify(result);
  const { _meta: meta } = result;
  return JSON.stringify({
    ...result,
    resultType: "complete",
    ...(kept && uncached),
    _meta: { ...ourMeta._meta, ...(isObject(meta) && meta) },
  });
}

// --- internal ---

/** The server said it as a flag: what it meant by another value was read as one. */
function saysFlag(raw: string): boolean {
  return /"isError"\s*:\s*(?:true|false)/.test(raw);
}

const tooDeep = {
  code: internalError,
  message: "the answer is nested too deeply to be passed on",
};

/** Members as they stand at the beginning of an object. */
const texts = {
  complete: membersOf({ resultType: "complete" }),
  uncached: membersOf(uncached),
  meta: membersOf(ourMeta),
};

function membersOf(members: JsonObject): string {
  return `${JSON.stringify(members).slice(1, -1)},`;
}

/** The text of an object with more members at its beginning. */
function spliced(text: string, members: string): string {
  if (members === "") return text;
  const from = text.indexOf("{") + 1;
  const isEmpty = text.charCodeAt(skipSpace(text, from)) === closeBrace;
  return isEmpty ? `{${members.slice(0, -1)}}` : `{${members}${text.slice(from)}`;
}

const closeBrace = 0x7d;

/** The result itself where nothing in it has to go. */
function shownTo(result: JsonObject, knows: Knowledge): JsonObject {
  if (knows.era === "modern") return result;
  const { structuredContent, content, resultType, ttlMs, cacheScope } = result;
  const isFit =
    structuredContent === undefined ||
    (knows.titles && (isObject(structuredContent) || knows.anyStructured));
  const isLost = !isFit && Array.isArray(content) && content.length === 0;
  const blocks = isLost
    ? [inWords(structuredContent as Json)]
    : knows.titles
      ? content
      : contentFor(content, knows);
  const isModern = resultType !== undefined || ttlMs !== undefined || cacheScope !== undefined;
  if (isFit && blocks === content && !isModern) return result;
  const { _meta: meta } = result;
  return {
    ...othersOf(result),
    ...(isObject(meta) && withoutOurs(meta)),
    ...(blocks !== undefined && { content: blocks }),
    ...(isFit && structuredContent !== undefined && { structuredContent }),
  };
}

/** What all revisions have as it is. */
function othersOf(result: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(result).filter(([key]) => !told.has(key)));
}

/** What is told, if at all, in a way of its own. */
const told: ReadonlySet<string> = new Set([
  "content",
  "structuredContent",
  "resultType",
  "ttlMs",
  "cacheScope",
  "_meta",
]);

/** `_meta` without the name of the server, which only modern results have. */
function withoutOurs(meta: JsonObject): JsonObject {
  const { [`${metaPrefix}serverInfo`]: _, ...kept } = meta;
  return Object.keys(kept).length === 0 ? {} : { _meta: kept };
}

/** Blocks of a kind that an old revision does not know, in words. */
function contentFor(content: Json | undefined, knows: Knowledge): Json | undefined {
  if (!Array.isArray(content)) return content;
  const isUnknown = (block: Json) =>
    isObject(block) &&
    (block.type === "resource_link" || (block.type === "audio" && !knows.annotations));
  if (!content.some(isUnknown)) return content;
  return content.map((block) => {
    if (!isObject(block) || !isUnknown(block)) return block;
    const text =
      typeof block.uri === "string"
        ? block.uri
        : `(audio that this revision of the protocol cannot carry: ${String(block.mimeType)})`;
    return { type: "text", text };
  });
}
