/**
 * The modern era, 2026-07-28: the envelope of every request, how results are judged, and the answer to
 * `server/discover` (protocol.md 1.3, 1.9; https://modelcontextprotocol.io/specification/2026-07-28/basic). Pure.
 */
import { shorten } from "../base/clip.ts";
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Codec, Decoded, Envelope } from "./codec.ts";
import type { Capabilities, Implementation } from "./mcp.ts";
import { metaPrefix, overMeta, readImplementation } from "./meta.ts";

/** The modern revisions that we speak, newest first. */
export const modernRevisions: readonly string[] = ["2026-07-28"];

/** The codec of a modern revision. */
export function modernCodec(revision: string): Codec {
  return {
    era: "modern",
    revision,
    params: (params, envelope) => {
      return { ...params, _meta: metaOf(revision, params._meta, envelope) };
    },
    meta: (own, envelope) => metaOf(revision, own, envelope),
    isComplete,
    decode,
    serverRequests: false,
    ping: false,
    setLevel: false,
  };
}

/** What a server said to `server/discover`; what it left out is filled in as most cautious. */
export interface Discovered {
  supportedVersions: string[];
  capabilities: Capabilities;
  serverInfo: Implementation | undefined;
  instructions: string | undefined;
  /** How long it may be kept. @default 0 */
  ttlMs: number;
  /** @default "private" */
  cacheScope: "public" | "private";
}

/** Reads the result of `server/discover`; undefined if it is none (then the server is not known to be modern). */
export function readDiscover(result: Json): Discovered | undefined {
  if (!isObject(result)) return undefined;
  const { supportedVersions, capabilities, ttlMs, cacheScope, resultType, _meta: own } = result;
  if (resultType !== undefined && resultType !== null && resultType !== "complete")
    return undefined;
  if (!isStringArray(supportedVersions)) return undefined;
  // PHP writes an object without members as an empty list.
  const isNone = Array.isArray(capabilities) && capabilities.length === 0;
  const declared = isNone ? {} : (capabilities ?? {});
  if (!isObject(declared)) return undefined;
  const info = isObject(own) ? own[`${metaPrefix}serverInfo`] : undefined;
  return {
    supportedVersions,
    capabilities: declared,
    serverInfo: readImplementation(info ?? result.serverInfo),
    instructions: typeof result.instructions === "string" ? result.instructions : undefined,
    ttlMs: typeof ttlMs === "number" && ttlMs > 0 ? ttlMs : 0,
    cacheScope: cacheScope === "public" ? "public" : "private",
  };
}

/** Longer than that nothing is believed to stay as it is. */
export const ttlMsMax = 24 * 3_600_000;

/** The `ttlMs` of a result (protocol.md 1.11), at most a day; 0 (never) where it has none that is a positive number. */
export function ttlOf({ ttlMs }: JsonObject): number {
  return typeof ttlMs === "number" && ttlMs > 0 ? Math.min(ttlMs, ttlMsMax) : 0;
}

// --- internal ---

function metaOf(revision: string, own: Json | undefined, envelope: Envelope): JsonObject {
  const { clientInfo, capabilities, progressToken, logLevel } = envelope;
  const fields: JsonObject = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": clientInfo,
  };
  if (logLevel !== undefined) fields["io.modelcontextprotocol/logLevel"] = logLevel;
  if (progressToken !== undefined) fields.progressToken = progressToken;
  return overMeta(own, fields);
}

/** The only methods that may ask back (protocol.md 1.9). */
function mayAsk(method: string): boolean {
  return method === "tools/call" || method === "prompts/get" || method === "resources/read";
}

function isComplete(method: string, result: Json | undefined): result is JsonObject {
  if (!isObject(result)) return false;
  // What some serializers write for nothing is nothing.
  const resultType = result.resultType ?? undefined;
  // A task is an answer, too: what is to be done about it is decided elsewhere (protocol.md 1.16).
  const isTask = resultType === "task" && method === "tools/call";
  return resultType === undefined || resultType === "complete" || isTask;
}

function decode(method: string, result: Json): Decoded {
  if (isComplete(method, result)) return { kind: "complete", result };
  if (!isObject(result)) return invalid(`the result of ${method} is not an object`);
  const resultType = result.resultType ?? null;
  if (resultType !== "input_required")
    return invalid(`the result of ${method} has the unknown resultType ${clip(resultType)}`);
  if (!mayAsk(method)) return invalid(`${method} must not ask for input`);
  return readInput(method, result);
}

function readInput(method: string, result: JsonObject): Decoded {
  const requests = result.inputRequests ?? undefined;
  const state = result.requestState ?? undefined;
  if (requests === undefined && state === undefined)
    return invalid(`${method} asks for input without inputRequests and requestState`);
  if (requests !== undefined && !isObject(requests))
    return invalid(`the inputRequests of ${method} are not an object`);
  if (state !== undefined && typeof state !== "string")
    return invalid(`the requestState of ${method} is not a string`);
  const entries: [string, { method: string; params: JsonObject }][] = [];
  for (const [key, request] of Object.entries(requests ?? {})) {
    if (!isObject(request) || typeof request.method !== "string")
      return invalid(`the input request ${clip(key)} of ${method} has no method`);
    const params = isObject(request.params) ? request.params : {};
    entries.push([key, { method: request.method, params }]);
  }
  return {
    kind: "input",
    // fromEntries defines each key: one called __proto__ is a key like any other.
    inputRequests: Object.fromEntries(entries),
    ...(state !== undefined && { requestState: state }),
  };
}

function invalid(reason: string): Decoded {
  return { kind: "invalid", reason };
}

function clip(value: Json): string {
  const text = typeof value === "object" ? "that is no string" : JSON.stringify(value);
  return shorten(text, 100);
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
