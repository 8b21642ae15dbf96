/**
 * Tokens of requests: which of ours one carries, and what its caller may do. Compared in constant time; never shown, never
 * logged.
 */
import { matchesGlob } from "../base/glob.ts";
import { HttpError } from "./http-error.ts";
import type { Caller, Route, Token } from "./types.ts";

/** What finds out who asks. @throws HttpError 401 */
export type Recognise = (
  request: Request,
  route: Pick<Route, "decides" | "open"> | undefined,
) => Caller;

/** @param startKey counts as a token that may do everything */
export function recogniser(tokens: readonly Token[], startKey: string | undefined): Recognise {
  const bearers = bearersOf(tokens, startKey);
  return (request, route) => callerOf(request, route, { bearers, asksToken: tokens.length > 0 });
}

// --- internal ---

interface Bearer {
  digest: Uint8Array;
  caller: Caller;
}

function bearersOf(tokens: readonly Token[], startKey: string | undefined): Bearer[] {
  const bearers = tokens.map(({ name, token, tools }) => ({
    digest: digestOf(token),
    caller: {
      owner: name,
      hasToken: true,
      allows: allowing(tools),
      ...(tools !== undefined && { isBound: true }),
    },
  }));
  if (startKey !== undefined)
    bearers.push({
      digest: digestOf(startKey),
      caller: { owner: "default", hasToken: true, allows: allowing(undefined) },
    });
  return bearers;
}

function allowing(globs: readonly string[] | undefined): Caller["allows"] {
  if (globs === undefined) return () => true;
  return (names) => globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
}

const anyone: Caller = { owner: "default", hasToken: false, allows: () => true };
const stranger: Caller = {
  owner: "default",
  hasToken: false,
  isStranger: true,
  allows: () => false,
};

function callerOf(
  request: Request,
  route: Pick<Route, "decides" | "open"> | undefined,
  { bearers, asksToken }: { bearers: readonly Bearer[]; asksToken: boolean },
): Caller {
  const sent = request.headers.get("authorization");
  if (sent === null) {
    if (!asksToken && route?.decides !== true) return anyone;
    if (route?.open === true) return stranger;
    throw unauthorized("this needs a token", "send Authorization: Bearer TOKEN");
  }
  const [, token] = /^Bearer +([^ ]+) *$/i.exec(sent) ?? [];
  const bearer = token === undefined ? undefined : bearerOf(token, bearers);
  // A wrong one is never taken for none.
  if (bearer === undefined) throw unauthorized("the token is not one of ours");
  return bearer.caller;
}

/** Digests of one length are compared, all of each and all of them: time tells nothing of the tokens. */
function bearerOf(token: string, bearers: readonly Bearer[]): Bearer | undefined {
  const digest = digestOf(token);
  let found: Bearer | undefined;
  for (const bearer of bearers) {
    let difference = 0;
    for (let at = 0; at < digest.length; at++) difference |= digest[at]! ^ bearer.digest[at]!;
    if (difference === 0) found ??= bearer;
  }
  return found;
}

function digestOf(token: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(token).digest();
}

function unauthorized(message: string, hint?: string): HttpError {
  return new HttpError(401, "unauthorized", message, {
    headers: { "www-authenticate": 'Bearer realm="mcphost"' },
    ...(hint !== undefined && { hint }),
  });
}
