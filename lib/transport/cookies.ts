/**
 * The cookies that one remote server sets (RFC 6265), kept as long as its fetch. A balancer before several servers tells by one
 * which of them has the session: whoever does not send it back is sent to another one, which knows nothing of it. They go back
 * to the very origin that set them and nowhere else, whatever `Domain` says, and are never written down.
 */

export class Cookies {
  readonly #now: () => number;
  readonly #all = new Map<string, Kept>();

  /** @param now milliseconds since the epoch. @default Date.now */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Takes what an answer from `url` sets; what is no cookie, is too large, or has no room is not kept. */
  take({ headers }: Response, url: URL): void {
    for (const line of headers.getSetCookie()) {
      const cookie = line.length > cookieLengthMax ? undefined : parsed(line);
      if (cookie !== undefined) this.#keep(cookie, url.origin);
    }
  }

  /** The headers of a request to `url`, with its cookies behind those that are in them. */
  dress(headers: RequestInit["headers"], { origin, pathname, protocol }: URL): Headers {
    const dressed = new Headers(headers);
    const own = dressed.get("cookie");
    const pairs = own === null ? [] : [own];
    for (const [key, kept] of this.#all) {
      if (kept.until <= this.#now()) this.#all.delete(key);
      else if (kept.origin === origin && isBelow(pathname, kept.path))
        if (!kept.isSecure || protocol === "https:") pairs.push(kept.pair);
    }
    if (pairs.length > 0) dressed.set("cookie", pairs.join("; "));
    return dressed;
  }

  // --- internal ---

  #keep(cookie: Bun.Cookie, origin: string): void {
    const { name, value, path, secure, maxAge, expires } = cookie;
    const key = JSON.stringify([origin, path, name]);
    const ends = maxAge === undefined ? expires?.getTime() : this.#now() + maxAge * 1000;
    const until = ends ?? Number.POSITIVE_INFINITY;
    if (until <= this.#now()) this.#all.delete(key);
    else if (this.#all.has(key) || this.#all.size < cookiesMax)
      this.#all.set(key, { origin, path, isSecure: secure, until, pair: `${name}=${value}` });
  }
}

// --- internal ---

interface Kept {
  origin: string;
  path: string;
  isSecure: boolean;
  /** In milliseconds since the epoch. */
  until: number;
  pair: string;
}

/** What RFC 6265 (6.1) wants a client to keep at least. */
const cookiesMax = 50;
const cookieLengthMax = 4096;

/** Undefined for what is none. */
function parsed(line: string): Bun.Cookie | undefined {
  try {
    return Bun.Cookie.parse(line);
  } catch {
    return undefined;
  }
}

/** RFC 6265, 5.1.4. */
function isBelow(pathname: string, path: string): boolean {
  if (!pathname.startsWith(path)) return false;
  return path.endsWith("/") || pathname.length === path.length || pathname[path.length] === "/";
}
