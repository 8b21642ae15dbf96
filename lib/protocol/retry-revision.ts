/** What to ask for in the place of a revision that a server refused. Pure. */
import { isObject } from "../base/json.ts";
import type { Json } from "../base/json.ts";
import { invalidParams, invalidRequest } from "./jsonrpc.ts";
import type { ErrorObject } from "./jsonrpc.ts";
import { legacyRevisions } from "./legacy.ts";
import { unsupportedVersion } from "./meta.ts";

/**
 * The revision to ask for after a server refused `initialize`: the best legacy one that the error's data names (`supported`,
 * `expected`, or anywhere else), or else its message, once; the next older one if neither names any other and the error is
 * about what was sent. Undefined: there is nothing to try.
 */
export function retryRevision(
  error: ErrorObject,
  asked: string,
  isFirst = true,
): string | undefined {
  const listed = versionsIn(error.data);
  const said = versionsIn(error.message);
  const named = listed.length > 0 ? listed : said.filter((one) => one !== asked);
  if (named.length > 0)
    return legacyRevisions.find(
      (revision) => isFirst && revision !== asked && named.includes(revision),
    );
  if (!ofRequest.has(error.code) && !said.includes(asked)) return undefined;
  return legacyRevisions[legacyRevisions.indexOf(asked) + 1];
}

// --- internal ---

/** Codes of errors that are about what was sent. */
const ofRequest: ReadonlySet<number> = new Set([unsupportedVersion, invalidParams, invalidRequest]);

const dataDepthMax = 4;

/** Every date-like version in the strings of an error's data, `requested` and its like left out. */
function versionsIn(data: Json | undefined, depth = 0): string[] {
  if (typeof data === "string") return data.slice(0, 10_000).match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? [];
  if (depth > dataDepthMax || data === undefined || data === null) return [];
  if (Array.isArray(data)) return data.slice(0, 100).flatMap((item) => versionsIn(item, depth + 1));
  if (!isObject(data)) return [];
  return Object.entries(data)
    .filter(([key]) => !/^(requested|received|actual|got)/i.test(key))
    .slice(0, 100)
    .flatMap(([, item]) => versionsIn(item, depth + 1));
}
