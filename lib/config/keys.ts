/**
 * The keys of a server entry: ours, the names that other hosts have for the same things, and those that mean nothing
 * to us. Turns an entry as written into one under our own names, and remembers which word stood for each. Pure.
 */
import { isObject } from "../base/json.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { plainNumbers } from "./jsonc.ts";
import { linkWord } from "./links.ts";
import { limitEntries } from "./schema.ts";
import { synonyms, timeoutOfBoth } from "./synonyms.ts";

/** A value under our own key, and the key under which it was written. */
export interface Field {
  value: unknown;
  key: string;
}

export interface Fields {
  known: Map<string, Field>;
  /** About keys that nobody knows, and keys that contradict each other. */
  warnings: string[];
  /** The first of these that is close to a key that is known. */
  nearMiss?: string;
}

/**
 * Gathers an entry's fields under our names. Our own name wins over a synonym, else the first one written;
 * `env` and `headers` that come from several keys are merged.
 */
export function gatherFields(entry: Record<string, unknown>, timeoutIsSeconds: boolean): Fields {
  const known = new Map<string, Field>();
  const warnings: string[] = [];
  let nearMiss: string | undefined;
  const written = Object.entries(entry).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  for (const [key, value] of written.filter(([name]) => ownKeys.has(name)))
    known.set(key, { key, value: ownValue(key, value) });
  const type = known.get("type");
  if (type) type.value = linkWord(type.value);
  for (const [key, value] of written.filter(([name]) => !ownKeys.has(name))) {
    const synonym = key === "timeout" && timeoutIsSeconds ? timeoutOfBoth : synonyms.get(key);
    if (!synonym) {
      if (isIgnored(key)) continue;
      const { text, near } = unknownKey(key);
      if (near) nearMiss ??= text;
      warnings.push(text);
      continue;
    }
    for (const [target, converted] of synonym(plainNumbers(value))) {
      const before = known.get(target);
      if (!before) known.set(target, { key, value: converted });
      else if (isObject(before.value) && isObject(converted))
        before.value = { ...converted, ...before.value };
      else if (!Bun.deepEquals(before.value, converted))
        warnings.push(`${key} and ${before.key} say different things; ${before.key} counts`);
    }
  }
  return { known, warnings, ...(nearMiss === undefined ? {} : { nearMiss }) };
}

/** Words about a key that nobody knows, with the nearest that is known; `near` says whether there is one. */
export function unknownKey(
  key: string,
  candidates?: Iterable<string>,
): { text: string; near: boolean } {
  if (candidates === undefined) {
    if (Object.hasOwn(limitEntries, key) || key === "limits")
      return { text: ofAll(key), near: true };
    return unknownKey(key, [...ownKeys, ...synonyms.keys()]);
  }
  const meant = didYouMean(nearest(key, candidates, 1));
  const text = `nobody knows the key ${JSON.stringify(key)}`;
  return meant === undefined ? { text, near: false } : { text: `${text}; ${meant}`, near: true };
}

// --- internal ---

/** A limit holds for all servers. */
function ofAll(key: string): string {
  const what = key === "limits" ? "limits hold" : `${key} is one of limits, which hold`;
  return `${what} for all servers: they stand beside mcpServers, not in it`;
}

const ownKeys = new Set(
  (
    "command args env envFile cwd inheritEnv url type headers auth tls protocol timeoutMs startTimeoutMs stopMs " +
    "concurrency queueMax queueMs share lifecycle idleMs restart prefix allowedTools deniedTools rename approval toolsWithoutApproval " +
    "disabled roots"
  ).split(" "),
);

/** What other hosts keep beside an entry and what changes nothing about how a server is started or called. */
const ignored = new Set(
  (
    "name id description displayName display_name bundled title icon note notes comment metadata gallery version source provider dev trust " +
    "required oauth oauthClientId oauthIssuer oauthScopes scopes includeInAll allowedUsers requiredRoles revision"
  ).split(" "),
);

function isIgnored(key: string): boolean {
  return ignored.has(key) || /^[_$/#]/.test(key);
}

function ownValue(key: string, value: unknown): unknown {
  if (key === "env") return envNumbers(value);
  return key === "headers" ? headerLines(plainNumbers(value)) : plainNumbers(value);
}

/** Headers as a list of lines, `Name: value`; a list with anything else in it is left as it is, and refused. */
function headerLines(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const headers: [string, string][] = [];
  for (const line of value) {
    const [, name, text] = (typeof line === "string" && /^([^\s:]+):\s*(.*)$/s.exec(line)) || [];
    if (name === undefined || text === undefined) return value;
    headers.push([name, text]);
  }
  return Object.fromEntries(headers);
}

/** Numbers of `env` as the text that was written: 1.10 stays 1.10. */
function envNumbers(value: unknown): unknown {
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value))
    copy[key] = JSON.isRawJSON(inner) ? (inner as unknown as { rawJSON: string }).rawJSON : inner;
  return copy;
}
