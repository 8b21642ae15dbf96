/** What both eras share: `_meta` of requests, names inside it, codes, lists, and who the far side says it is. Pure. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Implementation } from "./mcp.ts";

/** The prefix of the specification's own keys in `_meta`. */
export const metaPrefix = "io.modelcontextprotocol/";

/** The wire error of a server that does not speak the revision asked for; `data.supported` lists its own (protocol.md 1.18). */
export const unsupportedVersion = -32022;
/** The wire error of a server whose HTTP headers and body disagree, as it sees them (protocol.md 1.18). */
export const headerMismatch = -32020;
/** The wire error of a server that needs a capability which the request does not declare: `data.requiredCapabilities`. */
export const missingCapability = -32021;

/** The wire error of 2025-11-25 with `data.elicitations`: the person has to visit these first (protocol.md 1.18). */
export const urlElicitationRequired = -32042;

/** A `_meta` put over the caller's own. */
export function overMeta(own: Json | undefined, meta: JsonObject): JsonObject {
  return own !== undefined && isObject(own) ? { ...own, ...meta } : meta;
}

/** A self-reported implementation; a missing or odd version is the empty string. Undefined if there is not even a name. */
export function readImplementation(value: Json | undefined): Implementation | undefined {
  if (!isObject(value) || typeof value.name !== "string") return undefined;
  const { title, version, ...rest } = value;
  return {
    ...rest,
    name: value.name,
    version: typeof version === "string" ? version : "",
    ...(typeof title === "string" && { title }),
  };
}

/**
 * What the capabilities of a client may name (protocol.md 1.2, 1.14): from 2025-11-25 on `elicitation` names its modes and
 * `sampling` its tools; before, `elicitation: {}` stands for forms and there is nothing more. Revisions are dates.
 */
export function namesModes(revision: string): boolean {
  return revision >= "2025-11-25";
}

/** The entries of a list as a server writes it; where it is no array, that is said. PHP writes a list whose keys have gaps as an object. */
export function entriesOf(list: Json | undefined, what: string, warnings: string[]): Json[] {
  if (Array.isArray(list)) return list;
  if (list === undefined || list === null) return [];
  const values = isObject(list) ? (Object.values(list) as Json[]) : [];
  const read = values.length > 0 ? "its members were read" : "none was read";
  warnings.push(`the list of ${what}s is not an array: ${read}`);
  return values;
}
