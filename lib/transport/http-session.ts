/**
 * What a legacy HTTP server gave us to carry: its session id and the revision that was agreed on, as headers of all later
 * requests, and its end (protocol.md 1.6).
 */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { revisionHeaders, undoubled } from "../protocol/headers.ts";
import type { Request, Response as Answer } from "../protocol/jsonrpc.ts";
import { readInitialize } from "../protocol/legacy.ts";
import type { Session } from "../protocol/mcp.ts";
import type { HttpOptions } from "./http-types.ts";

export class HttpSession {
  readonly #name: string;
  readonly #log: Log;
  #id: string | undefined;
  #revision = "";
  #headers: Readonly<Record<string, string>> = {};
  #isWarned = false;
  /** It is to outlive the link. */
  #isKept = false;

  constructor({ name, log, session }: Pick<HttpOptions, "name" | "log" | "session">) {
    this.#name = name;
    this.#log = log;
    if (session === undefined) return;
    this.#isKept = true;
    this.#carry(session.id, session.revision);
  }

  /** There is a session that the server may be told the end of. */
  get isOpen(): boolean {
    return this.#id !== undefined;
  }

  /** And is told with the end of the link. */
  get endsWithLink(): boolean {
    return this.isOpen && !this.#isKept;
  }

  /** Of every request after `initialize`: another object where they are others. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  /** As `Transport.keepSession`. */
  keep(): Session | undefined {
    if (this.#id === undefined) return undefined;
    this.#isKept = true;
    return { id: this.#id, revision: this.#revision };
  }

  /** Before each `initialize`, which never carries an old session, and when the server knows it no longer. */
  forget(): void {
    this.#carry(undefined, "");
    this.#isKept = false;
  }

  /**
   * Takes the session id of the response to `initialize`.
   * @throws HostError `rpc_error`: one that no header of ours can carry back
   */
  begin(headers: Headers): void {
    const id = undoubled(headers.get(idHeader));
    if (id === null || id === "") return;
    if (!visible.test(id)) {
      const text = `server "${this.#name}" gave a session id with characters that none may have`;
      throw new HostError("rpc_error", text, {
        facts: { server: this.#name, sent: true, sessionId: "unusable" },
        hint: "a session id is visible ASCII (0x21 to 0x7E) only; the server must be mended",
      });
    }
    this.#carry(id, this.#revision);
  }

  /** Takes the revision out of the answer to `initialize`. */
  agree({ params }: Request, { result }: Answer): void {
    if (result === undefined) return;
    const asked = params?.protocolVersion;
    const read = readInitialize(result, typeof asked === "string" ? asked : "");
    if ("revision" in read) this.#carry(this.#id, read.revision);
  }

  /** A session begins with `initialize` alone, so another id later on changes nothing; it is said once. */
  check(headers: Headers): void {
    const id = undoubled(headers.get(idHeader));
    if (id === null || id === "" || id === this.#id || this.#isWarned) return;
    this.#isWarned = true;
    const what = this.#id === undefined ? "a session id" : "another session id";
    const text = `it sent ${what} after initialize, which was ignored`;
    this.#log({ level: "warn", server: this.#name, text });
  }

  // --- internal ---

  #carry(id: string | undefined, revision: string): void {
    this.#id = id;
    this.#revision = revision;
    this.#headers = {
      ...(revision !== "" && revisionHeaders(revision)),
      ...(id !== undefined && { [idHeader]: id }),
    };
  }
}

/** The session id that came with the answer to the probe, which began none: to be ended. */
export function strayHeaders(headers: Headers): Record<string, string> | undefined {
  const id = headers.get(idHeader);
  return id !== null && visible.test(id) ? { [idHeader]: id } : undefined;
}

/** What asks for an event stream; `lastEventId`: from where on, where one goes on. */
export function streamHeaders(lastEventId: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { Accept: "text/event-stream" };
  if (lastEventId !== undefined) headers["Last-Event-ID"] = bytesOf(lastEventId);
  return headers;
}

/** Tells the server of sessions that are over, in bounded time; what it says to that means nothing. */
export class Goodbyes {
  readonly #fetch: (init: RequestInit) => Promise<Response>;
  readonly #deleteMs: number;
  readonly #open = new Set<Promise<unknown>>();

  constructor(fetch: (init: RequestInit) => Promise<Response>, deleteMs: number) {
    this.#fetch = fetch;
    this.#deleteMs = deleteMs;
  }

  /** One of them is not answered yet. */
  get isAny(): boolean {
    return this.#open.size > 0;
  }

  say(headers: Readonly<Record<string, string>>): void {
    const signal = AbortSignal.timeout(this.#deleteMs);
    const gone = this.#fetch({ method: "DELETE", headers, signal })
      .then((response) => response.body?.cancel())
      .catch(() => {})
      .finally(() => this.#open.delete(gone));
    this.#open.add(gone);
  }

  async said(): Promise<void> {
    await Promise.all(this.#open);
  }
}

// --- internal ---

/** The bytes of UTF-8, as the HTML standard has it: a header's value is Latin-1 to `fetch`. */
function bytesOf(lastEventId: string): string {
  return Buffer.from(lastEventId).toString("latin1");
}

const idHeader = "Mcp-Session-Id";
const visible = /^[\x21-\x7e]+$/;
