/**
 * What a module's user gives to `createHost`, checked by the schemas of config files: nothing that was not understood is
 * passed over, for a misspelt rule would let calls through. Values that may be secret are never shown. Not on the path of
 * the command line.
 */
import * as v from "valibot";

import { HostError } from "../base/errors.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { kindOf, pathText } from "../config/problems.ts";
import { Server, tlsEntries } from "../config/schema-server.ts";
import { LimitsSchema, pointer, Policy } from "../config/schema.ts";

/** @throws HostError `usage`, with the path, what was expected there, and what was found */
export function checkOptions(options: unknown): void {
  const result = v.safeParse(Options, options);
  if (result.success) return;
  const [first] = result.issues;
  // Where one key is missing, one that nobody knows is most likely that one.
  const isMissing = first.type === "strict_object" && foundAt(first, options) === "nothing";
  const unknown = result.issues.find(
    ({ type, expected }) => type === first.type && expected === "never",
  );
  const issue = (isMissing ? unknown : undefined) ?? first;
  const path = (issue.path ?? []).map((item) => item.key as string | number);
  const found = foundAt(issue, options);
  const isStrict = issue.type === "strict_object" && path.length > 0;
  if (isStrict && issue.expected === "never") {
    const names = nearest(String(path.at(-1)), keysAt(path));
    throw wrong(path, "no such key", found, didYouMean(names));
  }
  // A key that is missing is told by its object.
  throw wrong(path, isStrict && found === "nothing" ? "a value" : issue.message, found);
}

// --- internal ---

const is = <T>(test: (value: unknown) => boolean, words: string) => v.custom<T>(test, words);
const isPlain = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const object = is<Record<string, unknown>>(isPlain, "an object");
const action = v.optional(is<() => void>((value) => typeof value === "function", "a function"));
const string = v.string("a string");
const flag = v.optional(v.boolean("true or false"));

/** valibot takes an array for an object, and passes over these keys. */
const unseen = ["__proto__", "prototype", "constructor"];
const hasUnseen = (value: unknown) => unseen.some((key) => Object.hasOwn(value as object, key));
const keyed = is<Record<string, unknown>>(
  (value) => isPlain(value) && !hasUnseen(value),
  `an object without ${unseen.join(", ")}`,
);
const record = <const S extends v.GenericSchema>(values: S) =>
  v.pipe(object, keyed, v.record(string, values));
const map = <const S extends v.GenericSchema>(values: S) => v.optional(record(values));

const { command: _, args, env: _env, envFile, cwd, inheritEnv, stopMs, ...rest } = Server.entries;
const { url: _url, type: _type, headers: _headers, tls: _tls, ...common } = rest;

const StdioSchema = v.strictObject(
  {
    ...common,
    args,
    envFile,
    cwd,
    inheritEnv,
    stopMs,
    command: v.pipe(string, v.nonEmpty("a command")),
    env: map(v.union([string, v.null()], "a string or null")),
    rename: map(string),
    literal: flag,
    givenEnv: map(string),
  },
  "an object",
);

const urlWords = "a URL that begins with http://, https://, ws:// or wss://";
const isUrl = (text: string) => /^(https?|wss?):\/\//i.test(text) && URL.canParse(text);

const HttpSchema = v.strictObject(
  {
    ...common,
    url: v.pipe(v.string(urlWords), v.check(isUrl, urlWords)),
    transport: v.optional(v.picklist(["auto", "http", "sse", "ws"], "one of auto, http, sse, ws")),
    headers: map(string),
    tls: v.optional(v.pipe(object, v.strictObject(tlsEntries, "an object"))),
    rename: map(string),
  },
  "an object",
);

const eitherWords = "either a command or a url";
const Either = is<Record<string, unknown>>(() => false, eitherWords);

/** By what is there: what else is wrong is then told of that kind. */
const HostServerSchema = v.lazy((server) => {
  const has = (key: string) =>
    isPlain(server) && (server as Record<string, unknown>)[key] !== undefined;
  if (!has("url")) return StdioSchema;
  return has("command") ? Either : HttpSchema;
});

const Rule = v.strictObject(
  {
    ...Policy.item.entries,
    arguments: v.optional(v.pipe(object, keyed, v.record(pointer, string))),
    answers: flag,
    origin: v.optional(object),
  },
  "an object",
);

const Answers = v.strictObject(
  { roots: action, elicit: action, elicitUrl: action, sample: action, sampleTools: flag },
  "an object",
);

const signal = is<AbortSignal>((value) => value instanceof AbortSignal, "an AbortSignal");

const Options = v.strictObject(
  {
    servers: record(HostServerSchema),
    policy: v.optional(v.array(Rule, "an array of rules")),
    plugins: v.optional(v.array(v.unknown(), "an array of plugins")),
    env: map(v.optional(string)),
    signal: v.optional(signal),
    log: action,
    limits: v.optional(v.pipe(object, v.strictObject(LimitsSchema.entries, "an object"))),
    answers: v.optional(Answers),
  },
  "an object",
);

/** The keys that an object of the options may have, for the one that it may not. */
function keysAt(path: readonly (string | number)[]): string[] {
  const [first] = path;
  if (path.length === 1) return Object.keys(Options.entries);
  if (first === "servers" && path[2] === "tls") return Object.keys(tlsEntries);
  if (first === "answers") return Object.keys(Answers.entries);
  if (first === "limits") return Object.keys(LimitsSchema.entries);
  if (first === "servers") return Object.keys({ ...StdioSchema.entries, ...HttpSchema.entries });
  return first === "policy" && path.length === 3 ? Object.keys(Rule.entries) : [];
}

/** What was found: its kind, and the value itself where that is no secret. */
function foundAt({ path, message }: v.BaseIssue<unknown>, options: unknown): string {
  const item = path?.at(-1);
  const value = item === undefined ? options : item.value;
  if (message === eitherWords) return "both";
  const isShown = typeof value === "string" && shownKeys.has(item?.key);
  return isShown ? JSON.stringify(withoutSecrets(value)) : kindOf(value);
}

/** Addresses, and words of which only a few are right. */
const shownKeys: ReadonlySet<unknown> = new Set([
  "url",
  "transport",
  "protocol",
  "lifecycle",
  "do",
]);

/** An address may hold them before its `@`, and behind its `?`. */
function withoutSecrets(text: string): string {
  return text
    .replace(/^(\w+:\/\/)?.*@/s, "$1…@")
    .replace(/[?#].*$/s, "?…")
    .slice(0, 100);
}

function wrong(path: readonly (string | number)[], expected: string, found: string, hint?: string) {
  const [first, second] = path;
  const at = pathText(path);
  const text = `createHost: ${at === "" ? "" : `${at}: `}expected ${expected}, found ${found}`;
  const server = first === "servers" && second !== undefined ? { server: String(second) } : {};
  return new HostError("usage", text, {
    facts: { ...server, path: at, expected, found },
    ...(hint !== undefined && { hint }),
  });
}
