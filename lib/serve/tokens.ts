/**
 * Tokens of requests: which of ours one carries, and what its caller may do, for as long as the token counts. Compared in
 * constant time; never shown, never logged.
 */
import { HttpError } from "./http-error.ts";
import { matchesAny } from "./profiles.ts";
import type { Caller, Route, Token } from "./types.ts";

/** The tokens that count now. */
export class Tokens {
  readonly #startKey: readonly Bearer[];
  #bearers: readonly Bearer[] = [];
  #areOfSeveral = false;
  /** Who carries none; undefined where one is asked for. */
  #anyone: Bearer | undefined;

  readonly #keyPlace: () => string | undefined;

  /**
   * @param startKey counts as a token that may do everything
   * @param keyPlace where that lies, as those may hear who are refused
   */
  constructor(
    tokens: readonly Token[],
    startKey: string | undefined,
    keyPlace: () => string | undefined = () => undefined,
  ) {
    this.#keyPlace = keyPlace;
    this.#startKey =
      startKey === undefined ? [] : [new Bearer({ name: ownerDefault, token: startKey })];
    this.replace(tokens);
  }

  /**
   * From now on these count. Callers last (sessions, sockets, streams): one whose token is still there may do what it may do
   * now, and all that the others have open ends.
   */
  replace(tokens: readonly Token[]): void {
    const before = new Map(this.#bearers.map((bearer) => [bearer.key, bearer]));
    const now = tokens.map((token) => {
      const key = keyOf(token);
      const bearer = before.get(key) ?? new Bearer(token);
      before.delete(key);
      bearer.tools = token.tools;
      return bearer;
    });
    for (const gone of before.values()) gone.end();
    this.#bearers = now;
    this.#areOfSeveral = new Set(now.map(({ owner }) => owner)).size > 1;
    if (tokens.length > 0) this.#anyone?.end();
    this.#anyone = tokens.length > 0 ? undefined : (this.#anyone ?? new Bearer());
  }

  /** They have several owners. */
  get areOfSeveral(): boolean {
    return this.#areOfSeveral;
  }

  /** @throws HttpError 401 */
  callerOf(request: Request, route: Pick<Route, "decides" | "open"> | undefined): Caller {
    const sent = request.headers.get("authorization");
    if (sent === null || empty.test(sent)) {
      if (this.#anyone !== undefined && route?.decides !== true) return this.#anyone;
      if (route?.open === true) return stranger;
      throw this.#needed(route?.decides === true);
    }
    const [, token] = /^Bearer +([^ ]+) *$/i.exec(sent) ?? [];
    const bearer =
      token === undefined ? undefined : bearerOf(token, [...this.#bearers, ...this.#startKey]);
    // A wrong one is never taken for none.
    if (bearer === undefined) throw unauthorized("the token is not one of ours");
    return bearer;
  }

  // --- internal ---

  /** Where no token is configured, the start key is the only one. */
  #needed(decides: boolean): HttpError {
    if (!decides || this.#startKey.length === 0)
      return unauthorized("this needs a token", "send Authorization: Bearer TOKEN");
    const place = this.#keyPlace();
    const where = place === undefined ? "" : `; it is in ${place}`;
    return this.#anyone === undefined
      ? unauthorized(
          "this needs a token, or the start key",
          `send Authorization: Bearer TOKEN, or the key${where}`,
        )
      : unauthorized("this needs the start key", `send Authorization: Bearer KEY${where}`);
  }
}

// --- internal ---

const ownerDefault = "default";

/** What clients send for a token that nobody gave them: none. */
const empty = /^ *(?:Bearer *)?$/i;

/** Whoever carries one token, or none where none is asked for. */
class Bearer implements Caller {
  readonly owner: string;
  readonly hasToken: boolean;
  readonly key: string;
  readonly digest: Uint8Array;
  /** @default all of them */
  tools: readonly string[] | undefined;
  readonly #gone = new AbortController();

  constructor(token?: Token) {
    this.owner = token?.name ?? ownerDefault;
    this.hasToken = token !== undefined;
    this.key = token === undefined ? "" : keyOf(token);
    this.digest = digestOf(token?.token ?? "");
  }

  get isBound(): boolean {
    return this.tools !== undefined;
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  readonly allows = (names: readonly string[]): boolean => {
    const { tools } = this;
    if (this.#gone.signal.aborted) return false;
    return tools === undefined || matchesAny(tools, names);
  };

  end(): void {
    this.#gone.abort(new Error("the token counts no more"));
  }
}

const stranger: Caller = {
  owner: ownerDefault,
  hasToken: false,
  isStranger: true,
  allows: () => false,
};

/** Whose a token is, and which. */
function keyOf({ name, token }: Token): string {
  return JSON.stringify([name, token]);
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
