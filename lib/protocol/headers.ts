/**
 * The HTTP headers that repeat what a modern request says in its body, and how values are written in them (protocol.md 1.5;
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports). Pure; legacy requests have none of them.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Message } from "./jsonrpc.ts";
import { metaPrefix } from "./meta.ts";

/**
 * `MCP-Protocol-Version`, `Mcp-Method` and, for methods that name something, `Mcp-Name` of one modern request; `{}` for a
 * message that is not modern: one whose `_meta` names no protocol version, or no request or notification at all.
 */
export function modernHeaders(message: Message): Record<string, string> {
  const revision = revisionIn(message);
  if (revision === undefined || !("method" in message)) return {};
  const { method, params = {} } = message;
  const headers: Record<string, string> = {
    "MCP-Protocol-Version": encodeHeaderValue(revision),
    "Mcp-Method": encodeHeaderValue(method),
  };
  const name = nameIn(method, params);
  if (name !== undefined) headers["Mcp-Name"] = encodeHeaderValue(name);
  return headers;
}

/** The revision that a modern message names in its `_meta`; undefined for one that is not modern. */
export function revisionIn(message: Message): string | undefined {
  const meta = "params" in message ? message.params?._meta : undefined;
  const revision = isObject(meta) ? meta[revisionKey] : undefined;
  return typeof revision === "string" ? revision : undefined;
}

/**
 * The header that repeats the negotiated revision to a legacy server, in every request after `initialize`; `{}` for the
 * revisions before 2025-06-18, which did not know it.
 */
export function revisionHeaders(revision: string): Record<string, string> {
  return isWithoutHeader(revision) ? {} : { "MCP-Protocol-Version": revision };
}

/**
 * A text as a header value: as it is where that is safe, else `=?base64?…?=` over its UTF-8. Not safe are the empty text,
 * anything but printable ASCII, spaces at either end, and what looks encoded already.
 */
export function encodeHeaderValue(value: string): string {
  const isEncoded = value.startsWith("=?base64?") && value.endsWith("?=");
  return !isEncoded && /^[!-~]([ -~]*[!-~])?$/.test(value) ? value : inBase64(value);
}

/** The text that a header value stands for; undefined where it looks encoded and is not (protocol.md 2.2). */
export function decodeHeaderValue(value: string): string | undefined {
  // Most are not.
  if (!value.startsWith("=?")) return value;
  const [, encoded] = /^=\?base64\?(.*)\?=$/s.exec(value) ?? [];
  if (encoded === undefined) return value;
  try {
    const bytes = Uint8Array.fromBase64(encoded, { lastChunkHandling: "strict" });
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What `Mcp-Name` has to repeat of a request; undefined for a method that names nothing, or where the name is missing. */
export function nameIn(method: string, params: JsonObject): string | undefined {
  const key = namedBy(method);
  const name = key === undefined ? undefined : params[key];
  return typeof name === "string" ? name : undefined;
}

/** A header that what stands between sends twice comes as a list; where all of it is the same, it is that. */
export function undoubled(value: string | null): string | null {
  if (value === null || !value.includes(",")) return value;
  const [first = "", ...others] = value.split(",").map((one) => one.trim());
  return others.every((one) => one === first) ? first : value;
}

// --- internal ---

function inBase64(value: string): string {
  return `=?base64?${new TextEncoder().encode(value).toBase64()}?=`;
}

const revisionKey = `${metaPrefix}protocolVersion`;

// Neither is a set or a map: this is loaded on the way of a first call, and those take longer to make than all else here.

function isWithoutHeader(revision: string): boolean {
  switch (revision) {
    case "2024-10-07":
    case "2024-11-05":
    case "2025-03-26":
      return true;
    default:
      return false;
  }
}

/** Where the name is that `Mcp-Name` repeats. */
function namedBy(method: string): "name" | "uri" | "taskId" | undefined {
  switch (method) {
    case "tools/call":
    case "prompts/get":
      return "name";
    case "resources/read":
      return "uri";
    case "tasks/get":
    case "tasks/update":
    case "tasks/cancel":
      return "taskId";
    default:
      return undefined;
  }
}
