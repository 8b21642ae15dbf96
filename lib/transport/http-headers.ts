/**
 * The headers of what is posted: what each has, what its era wants, the trace that it is part of, and its own. To read them
 * out of an object is the dearest part of a `fetch` of ours, so those of messages that are alike are made once, as
 * `Headers`, which nobody changes.
 */
import { version } from "../../package.json";
import { isObject } from "../base/json.ts";
import { modernHeaders, nameIn, revisionIn } from "../protocol/headers.ts";
import type { Message } from "../protocol/jsonrpc.ts";
import { traceHeaders } from "../protocol/trace.ts";
import type { HttpSession } from "./http-session.ts";

/** Who asks, where no header of the config says otherwise. */
export const userAgent = `mcphost/${version}`;

export class PostHeaders {
  readonly #session: HttpSession;
  #legacy: { of: HttpSession["headers"]; headers: Headers } | undefined;
  /** By what the message names, or else by its method. */
  readonly #modern = new Map<string, Modern>();

  constructor(session: HttpSession) {
    this.#session = session;
  }

  /** Of one message; `own`: what it has beside all others of its kind. */
  of(message: Message, own: Readonly<Record<string, string>> | undefined): Headers {
    const plain = this.#plain(message);
    if (own === undefined && !isTraced(message)) return plain;
    const headers = new Headers(plain);
    const more: Record<string, string> = { ...traceHeaders(message), ...own };
    for (const name in more) headers.set(name, more[name] as string);
    return headers;
  }

  // --- internal ---

  #plain(message: Message): Headers {
    const revision = revisionIn(message);
    if (revision === undefined || !("method" in message)) return this.#ofSession();
    const { method, params = {} } = message;
    const name = nameIn(method, params);
    const known = this.#modern.get(name ?? method);
    const isAlike =
      known !== undefined &&
      known.method === method &&
      known.name === name &&
      known.revision === revision;
    if (isAlike) return known.headers;
    const headers = new Headers({ ...posted, ...modernHeaders(message) });
    if (this.#modern.size >= modernMax) this.#modern.clear();
    this.#modern.set(name ?? method, { method, name, revision, headers });
    return headers;
  }

  #ofSession(): Headers {
    const { headers: of } = this.#session;
    if (this.#legacy?.of !== of) this.#legacy = { of, headers: new Headers({ ...posted, ...of }) };
    return this.#legacy.headers;
  }
}

// --- internal ---

interface Modern {
  method: string;
  name: string | undefined;
  revision: string;
  headers: Headers;
}

/** URIs of resources have no end. */
const modernMax = 256;

/** Of every POST. */
const posted = {
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  "User-Agent": userAgent,
};

function isTraced(message: Message): boolean {
  const meta = "params" in message ? message.params?._meta : undefined;
  return isObject(meta) && meta.traceparent !== undefined;
}
