/**
 * Results as strict clients take them: these throw a whole result away for one block of a kind that they do not know, for a
 * member of the wrong type, and for null. What is in order stays as it came; what is not is told in words, so that nothing is
 * lost. Pure.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { annotationsOf, linkKinds, mended, objectOf, textOf } from "./gateway-strict.ts";
import type { Kinds } from "./gateway-strict.ts";

/** What a result is of: `tools/call`, `prompts/get`, `resources/read` or `completion/complete`. */
export type Shape = "tool" | "prompt" | "read" | "completion";

/** The result itself where nothing is wrong with it, or where it is a task, or asks for something. */
export function strictResult(result: JsonObject, shape: Shape | undefined): JsonObject {
  const { resultType = "complete" } = result;
  if (shape === undefined || resultType !== "complete" || isObject(result.task)) return result;
  return mended(withItsOwn(result, shape), kinds[shape]);
}

/** A value in words, for who cannot take it as it is. */
export function inWords(value: Json): JsonObject {
  return { type: "text", text: typeof value === "string" ? value : JSON.stringify(value) };
}

// --- internal ---

/** What a result of that shape must have. */
function withItsOwn(result: JsonObject, shape: Shape): JsonObject {
  if (shape === "tool") return withContent(result);
  // Without values it is none, and came no further than our client.
  return shape === "completion" ? result : withList(result, shape);
}

function withContent(result: JsonObject): JsonObject {
  const { content, structuredContent = result.toolResult } = result;
  if (Array.isArray(content)) return result;
  if (content !== undefined && content !== null) return { ...result, content: [content] };
  // What only newer clients could read.
  const told = structuredContent === undefined ? [] : [inWords(structuredContent)];
  return { ...result, content: told };
}

function withList(result: JsonObject, shape: "prompt" | "read"): JsonObject {
  const key = shape === "prompt" ? "messages" : "contents";
  return Array.isArray(result[key]) ? result : { ...result, [key]: [] };
}

/** Each as `of` has it, which may be several or none; the list itself where each is one, and right. */
function each(list: Json, of: (one: Json) => Json | undefined | Json[]): Json {
  if (!Array.isArray(list)) return list;
  let copy: Json[] | undefined;
  for (const [at, one] of list.entries()) {
    const right = of(one);
    if (right === one) copy?.push(one);
    else {
      copy ??= list.slice(0, at);
      if (Array.isArray(right)) copy.push(...right);
      else if (right !== undefined) copy.push(right);
    }
  }
  return copy ?? list;
}

const blockKinds: Kinds = { annotations: annotationsOf, _meta: objectOf };

function blockOf(block: Json): Json {
  if (!isObject(block)) return inWords(block);
  const right = mended(block, blockKinds);
  const { type, text, data, resource, uri } = right;
  if (typeof text === "string" && type === "text") return right;
  if (type === "text" || (type === undefined && typeof text === "string"))
    return { ...right, ...inWords(text ?? "") };
  if ((type === "image" || type === "audio") && typeof data === "string")
    return binaryOf(right, data) ?? inWords(block);
  if (type === "resource_link" && typeof uri === "string")
    return mended(typeof right.name === "string" ? right : { ...right, name: uri }, linkKinds);
  const held = type === "resource" ? contentsOf(resource ?? null) : undefined;
  if (held === undefined) return inWords(block);
  return held === resource ? right : { ...right, resource: held };
}

/** Some send a whole `data:` URL; what is no base64 at all is none. */
function binaryOf(block: JsonObject, data: string): JsonObject | undefined {
  const prefix = /^data:([^;,]{0,200})[^,]{0,200},/i.exec(data.slice(0, 500));
  const rest = prefix === null ? data : data.slice(prefix[0].length);
  if (!/^[\w+/=\s-]*$/.test(rest.slice(0, 64))) return undefined;
  const { mimeType = prefix?.[1] ?? "" } = block;
  const type = typeof mimeType === "string" && mimeType !== "" ? mimeType : unknownType;
  return rest === data && type === mimeType && "mimeType" in block
    ? block
    : { ...block, data: rest, mimeType: type };
}

const unknownType = "application/octet-stream";

/** One that was read, or is embedded. */
function contentsOf(one: Json): Json | undefined {
  if (!isObject(one) || typeof one.uri !== "string") return undefined;
  const { text, blob } = one;
  const right = mended(one, { mimeType: textOf, _meta: objectOf, blob: textOf });
  if (typeof text === "string" || (text === undefined && typeof blob === "string")) return right;
  if (text === undefined || text === null) {
    const { text: _, ...rest } = right;
    return typeof blob === "string" ? rest : undefined;
  }
  return { ...right, text: JSON.stringify(text) };
}

/** A message holds one block: those of a list are one message each. */
function messageOf(message: Json): Json | undefined | Json[] {
  if (!isObject(message)) return undefined;
  const { role, content } = message;
  if (content === undefined || content === null) return undefined;
  const right = role === "user" || role === "assistant" ? message : { ...message, role: "user" };
  if (Array.isArray(content)) return content.map((one) => ({ ...right, content: blockOf(one) }));
  const block = blockOf(content);
  return block === content ? right : { ...right, content: block };
}

/** Whatever most languages take for yes. */
const flagOf = (value: Json) =>
  typeof value === "boolean" ? value : value === "true" || value === 1 ? true : undefined;

const completionKinds: Kinds = {
  total: (value) => (Number.isInteger(value) || JSON.isRawJSON(value) ? value : undefined),
  hasMore: flagOf,
};

function completionOf(completion: Json): Json | undefined {
  if (!isObject(completion) || !Array.isArray(completion.values)) return undefined;
  const right = mended(completion, completionKinds);
  const values = completion.values.filter((value) => typeof value === "string");
  if (values.length > suggestionsMax)
    return { ...right, values: values.slice(0, suggestionsMax), hasMore: true };
  return values.length === completion.values.length ? right : { ...right, values };
}

/** Of the specification: strict clients take no more. */
const suggestionsMax = 100;

const kinds: Readonly<Record<Shape, Kinds>> = {
  tool: { content: (list) => each(list, blockOf), isError: flagOf, _meta: objectOf },
  prompt: { messages: (list) => each(list, messageOf), description: textOf, _meta: objectOf },
  read: { contents: (list) => each(list, contentsOf), _meta: objectOf },
  completion: { completion: completionOf, _meta: objectOf },
};
