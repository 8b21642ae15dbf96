/**
 * One entry of a config file → one checked server, or what is wrong with it. Judges an entry alone: it never throws and
 * never looks at another one. Loaded only when a config is read.
 */
import { isObject } from "../base/json.ts";
import { checkFields, type Known } from "./checks.ts";
import { durationMsMax } from "./duration.ts";
import type { Entry } from "./formats.ts";
import { gatherFields, unknownKey } from "./keys.ts";
import { linkKinds } from "./links.ts";
import type { Origin } from "./origin.ts";
import { kindOf, pathText } from "./problems.ts";
import { tlsEntries } from "./schema-server.ts";
import type { BadServer, HttpServer, ServerConfig, ServerTls, StdioServer } from "./types.ts";

export interface ServerReading {
  server?: ServerConfig;
  bad?: BadServer;
  warnings: string[];
}

/**
 * Reads one entry. Warnings name the file and the entry; a bad one says the path in the file, what was expected and what
 * was found.
 */
export function readServer(entry: Entry, origin: Origin): ServerReading {
  const where = pathText(entry.path);
  const bad = (reason: string, hint?: string, warnings: string[] = []): ServerReading => ({
    bad: { name: entry.name, origin, reason, ...(hint === undefined ? {} : { hint }) },
    warnings,
  });
  // eslint-disable-next-line no-control-regex
  if (/^$|[\u0000-\u001f\u007f]/.test(entry.name) || !entry.name.isWellFormed())
    return bad(`${where}: a server's name has at least one character and no control characters`);
  if (!isObject(entry.value))
    return bad(`${where}: expected an object, found ${kindOf(entry.value)}`);
  const fields = gatherFields(entry.value, entry.timeoutIsSeconds === true);
  const said = (texts: readonly string[]) =>
    texts.map((text) => `${origin.label}: ${where}: ${text}`);
  const problems = checkFields(fields.known);
  const kind = kindOfLink(fields.known);
  if ("problem" in kind) problems.push({ path: [], text: kind.problem });
  if (problems.length > 0 || "problem" in kind) {
    const reason = problems
      .slice(0, problemsMax)
      .map(({ path, text }) => `${pathText([...entry.path, ...path])}: ${text}`)
      .join("; ");
    // What is the hint is not said again.
    const others = fields.warnings.filter((text) => text !== fields.nearMiss);
    return bad(reason, fields.nearMiss, said(others));
  }
  const common = commonOf(entry, origin, fields.known);
  const server =
    kind.link === "stdio" ? stdioOf(common, fields.known) : httpOf(common, fields.known, kind.link);
  return { server, warnings: said([...fields.warnings, ...tlsWarnings(fields.known)]) };
}

// --- internal ---

const problemsMax = 3;

/** Stdio or which kind of HTTP: by `type` where it is given, else by what is there. */
function kindOfLink(
  known: Known,
): { link: "stdio" | HttpServer["transport"] } | { problem: string } {
  const has = (key: string) => known.has(key) && !isEmpty(known.get(key)?.value);
  const type = textOf(known, "type");
  const link = linkKinds.get(type);
  // An entry may do no more than to switch off what another file has under its name.
  const isOff = known.get("disabled")?.value === true ? { link: "stdio" as const } : undefined;
  if (link === undefined) {
    if (has("command") && has("url"))
      return { problem: "both a command and a url; type says which counts (stdio, http, sse, ws)" };
    if (has("command")) return { link: "stdio" };
    if (!has("url")) return isOff ?? { problem: "expected a command or a url, found neither" };
    return { link: /^wss?:/i.test(textOf(known, "url")) ? "ws" : "auto" };
  }
  const needed = link === "stdio" ? "command" : "url";
  if (!has(needed)) return isOff ?? { problem: `a server of type ${type} needs a ${needed}` };
  return { link };
}

/** What is no text was complained about already; objects that were read have no prototype, and `String` throws at them. */
function textOf(known: Known, key: string): string {
  const value = known.get(key)?.value;
  return typeof value === "string" ? value : "";
}

function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && (value.length === 0 || value[0] === ""));
}

type Common = Omit<StdioServer, "kind" | "command" | "args" | "env">;

/** The fields that both kinds share; everything was checked before. */
function commonOf(entry: Entry, origin: Origin, known: Known): Common {
  const common: Record<string, unknown> = {
    name: entry.name,
    origin,
    written: entry.value,
    protocol: "auto",
    lifecycle: "lazy",
  };
  for (const key of commonKeys) {
    const field = known.get(key);
    if (field) common[key] = isObject(field.value) ? withoutPrototype(field.value) : field.value;
  }
  // No time at all would fail every call: it means no limit, as with the flags.
  for (const key of ["timeoutMs", "startTimeoutMs"])
    if (common[key] === 0) common[key] = durationMsMax;
  return common as unknown as Common;
}

const commonKeys = (
  "protocol timeoutMs startTimeoutMs concurrency queueMax queueMs lifecycle share idleMs restart prefix allowedTools deniedTools rename " +
  "approval toolsWithoutApproval disabled roots"
).split(" ");

const stdioKeys = ["envFile", "cwd", "inheritEnv", "stopMs"];

function stdioOf(common: Common, known: Known): StdioServer {
  const written = known.get("command")?.value;
  const [command = "", ...first] = (Array.isArray(written) ? written : [written]) as string[];
  const more = (known.get("args")?.value ?? []) as string[];
  const env: Record<string, string | null> = Object.create(null);
  for (const [name, value] of Object.entries(known.get("env")?.value ?? {}))
    env[name] = value === null ? null : String(value);
  const own: Record<string, unknown> = {};
  for (const key of stdioKeys) if (known.has(key)) own[key] = known.get(key)?.value;
  return { ...common, kind: "stdio", command, args: [...first, ...more], env, ...own };
}

function httpOf(common: Common, known: Known, transport: HttpServer["transport"]): HttpServer {
  const headers = withoutPrototype(known.get("headers")?.value ?? {}) as Record<string, string>;
  const url = String(known.get("url")?.value);
  const written = known.get("tls")?.value;
  const tls = isObject(written) ? { tls: tlsOf(written) } : {};
  return { ...common, kind: "http", transport, url, headers, ...tls };
}

const tlsKeys = Object.keys(tlsEntries);

function tlsOf(written: Record<string, unknown>): ServerTls {
  const known = tlsKeys.filter((key) => Object.hasOwn(written, key));
  return Object.fromEntries(known.map((key) => [key, written[key]]));
}

function tlsWarnings(known: Known): string[] {
  const written = known.get("tls")?.value;
  if (!isObject(written)) return [];
  const unknown = Object.keys(written).filter((key) => !tlsKeys.includes(key));
  return unknown.map((key) => `tls: ${unknownKey(key, tlsKeys).text}`);
}

function withoutPrototype(value: object): Record<string, unknown> {
  return Object.assign(Object.create(null), value) as Record<string, unknown>;
}
