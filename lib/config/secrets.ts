/**
 * Which parts of what is configured are secrets, or may be: told by the values, which we know, and by names only where a
 * value does not tell. Pure.
 */
import { isObject } from "../base/json.ts";
import type { Json } from "../base/json.ts";
import { basicOf, decoded } from "../base/uri.ts";

/** Shorter values are not hidden: blanking every "1" would hide the message, not a secret. */
export const secretLengthMin = 6;

/** Long and mixed enough to be a key. */
export const isKey = /^(?=.*\d)(?=.*[A-Za-z])[\w~.-]{20,}$/;

/**
 * True for a configured value (of an environment variable, a header, a query) that may be a secret. What is plainly
 * something else is not: paths, addresses without credentials, numbers, plain words. Looks at the value alone.
 */
export function mayBeSecret(value: string): boolean {
  if (value.length < secretLengthMin) return false;
  if (/^(~?[\\/]|\.{1,2}[\\/]|[A-Za-z]:[\\/])/.test(value)) return false;
  if (/^[\d.:]+$/.test(value) || plainWords.has(value.toLowerCase())) return false;
  return !/^[a-z][a-z\d+.-]*:\/\/[^@?]*$/i.test(value);
}

/**
 * True for a variable's value that may be a secret where neither the place nor a schema says so (an argument): by the
 * variable's name, or because it is no plain word, path or number.
 */
export function mayBeSecretOf(name: string, value: string): boolean {
  if (!mayBeSecret(value)) return false;
  if (/token|secret|pass|pwd|key|credential|auth|bearer/i.test(name)) return true;
  return value.split(/[\s\p{P}]+/u).some((word) => !/^\p{L}{0,24}\d{0,8}$/u.test(word));
}

/** What may be secret in a value whose meaning others know alone, such as the options of a plugin. */
export function secretsWithin(value: Json | undefined, name = ""): string[] {
  if (typeof value === "string")
    return [...(mayBeSecretOf(name, value) ? [value] : []), ...secretsOfUrl(value)];
  if (Array.isArray(value)) return value.flatMap((one) => secretsWithin(one, name));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => secretsWithin(one, key));
}

/** True for a flag whose value is a secret by its name. */
export function isSecretFlag(flag: string): boolean {
  return (
    /^--?[\w-]+$/.test(flag) && /token|secret|passw|api-?_?key|credential|auth|bearer/i.test(flag)
  );
}

/**
 * The secrets inside an argument: the value of `NAME=value` and of `Header: value`, credentials of an address, what is
 * long and mixed enough to be a key, and what a flag says to be one (`before` is the argument before it).
 */
export function secretsOfArgument(argument: string, before = ""): string[] {
  const value = /^[A-Z_][A-Z0-9_]*=([^]*)$/.exec(argument)?.[1];
  const header = /^[\w-]+: +([^]+)$/.exec(argument)?.[1];
  const rest = value ?? argument.slice(argument.indexOf("=") + 1);
  const found = [
    ...(value === undefined ? [] : [value]),
    ...(header === undefined ? [] : secretsOfHeader(header)),
  ];
  return [
    ...[...found, ...flagged(argument, before)].filter(mayBeSecret),
    ...(isKey.test(rest) ? [rest] : []),
    ...[argument, rest].flatMap(secretsOfUrl),
  ];
}

/** The secrets of a header's value: the whole, what follows a scheme such as `Bearer`, and what `Basic` packs. */
export function secretsOfHeader(value: string): string[] {
  const [, scheme = "", credentials = ""] = /^([A-Za-z][\w-]*) +([^]+)$/.exec(value) ?? [];
  const user = /^basic$/i.test(scheme) ? Buffer.from(credentials, "base64").toString() : "";
  const password = user.slice(user.indexOf(":") + 1);
  return [value, credentials, user, password].filter(mayBeSecret);
}

/**
 * The user name and the password of an address, as written. One that is malformed may have any character in them: there
 * they end at the last `@`.
 */
export function userOfUrl(text: string): { name: string; password: string } | undefined {
  const isStrict = isUrl(text) || text.includes("${");
  const userinfo = isStrict ? /^([a-z][\w+.-]*:\/+)([^/?#]*)@/i : /^([a-z][\w+.-]*:\/+)([^]*)@/i;
  const user = userinfo.exec(text)?.[2];
  if (user === undefined) return undefined;
  const [, name = user, password = ""] = /^((?:\$\{[^}]*\}|[^:])*):([^]*)$/.exec(user) ?? [];
  return { name, password };
}

/** User name, password and query values of an address, and path segments long and mixed enough to be a key. */
export function secretsOfUrl(text: string): string[] {
  if (!isUrl(text)) return Object.values(userOfUrl(text) ?? {}).filter(mayBeSecret);
  const url = new URL(text);
  const query = [...url.searchParams.values()];
  const raw = url.search
    .slice(1)
    .split("&")
    .map((pair) => pair.slice(pair.indexOf("=") + 1));
  const segments = url.pathname.split("/").filter(isKeyInPath);
  const user = [url.username, url.password].flatMap((part) => [part, decoded(part) ?? part]);
  const basic = basicOf(url);
  const packed = basic === undefined ? [] : [basic];
  return [...user, ...packed, ...query, ...raw, ...segments].filter(mayBeSecret);
}

/** The variable that holds a secret or an input: in capitals, with `_` for what a shell cannot write in a name. */
export function shellName(prefix: string, name: string): string {
  return prefix + name.toUpperCase().replace(/[^A-Z0-9_]/g, "_");
}

// --- internal ---

function isUrl(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text) && URL.canParse(text);
}

/** Names in addresses are words in small letters, most often: what is none may be shorter. */
function isKeyInPath(segment: string): boolean {
  const isMixed = /^(?=(?:.*\d){2}.*[A-Za-z])(?=.*[a-z])(?=.*[A-Z])[\w~.-]{16,}$/;
  const isHex = /^(?=(?:.*\d){2})[\da-f]{16,}$/i;
  return isKey.test(segment) || isMixed.test(segment) || isHex.test(segment);
}

/** `--token X`, `--token=X`; `-e NAME=X`, `--env NAME=X`, `--env=NAME=X`, `-eNAME=X`. */
function flagged(argument: string, before: string): string[] {
  const [, own, behind = ""] =
    /^(-e)(\w+=[^]*)$/.exec(argument) ?? /^(--?[\w-]+)=([^]*)$/.exec(argument) ?? [];
  if (own === undefined && argument.startsWith("-")) return [];
  const [flag, value] = own === undefined ? [before, argument] : [own, behind];
  if (isSecretFlag(flag)) return [value, ...secretsOfHeader(value)];
  const variable = /^(-e|--env)$/.test(flag) ? /^[\w.-]+=([^]*)$/.exec(value)?.[1] : undefined;
  return variable === undefined ? [] : [variable];
}

const plainWords = new Set([
  "production",
  "development",
  "staging",
  "default",
  "enabled",
  "disabled",
  "warning",
  "verbose",
  "utf-8",
  "en_us.utf-8",
  "c.utf-8",
  "application/json",
  "text/event-stream",
  "application/json, text/event-stream",
  "localhost",
]);
