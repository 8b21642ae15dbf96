/**
 * The transport Streamable HTTP, of both eras (protocol.md 1.5 and 1.6): every message is a POST of its own, and what it
 * is answered with, JSON or a stream, comes in as from any other link. A message says its era itself. Nothing is ever
 * sent twice; one exchange that fails takes no other with it, but a session that the server lost ends the link.
 */
import { settlesWithin } from "../base/async.ts";
import { Channel } from "../base/channel.ts";
import { Deadlines } from "../base/deadlines.ts";
import type { HostError } from "../base/errors.ts";
import { revisionIn } from "../protocol/headers.ts";
import { isRequest } from "../protocol/jsonrpc.ts";
import type { Message, Request, RequestId } from "../protocol/jsonrpc.ts";
import type { Session } from "../protocol/mcp.ts";
import { defaultTimes, responseBytesMax } from "./http-answer.ts";
import { Exchanges } from "./http-exchanges.ts";
import { PostHeaders } from "./http-headers.ts";
import { Goodbyes, HttpSession, streamHeaders } from "./http-session.ts";
import { listenNow, listenSoon, nameOf, tell } from "./http-tell.ts";
import type { Exchange, HttpOptions, HttpTimes, Link } from "./http-types.ts";
import type { CloseInfo, Incoming, SendOptions, Transport } from "./transport.ts";
import { UnderWay } from "./under-way.ts";
import { textReader } from "./whole-text.ts";

/** Opens nothing by itself: the first message is the first request. */
export function openHttp(options: HttpOptions): Transport {
  return new HttpTransport(options);
}

// --- internal ---

class HttpTransport implements Transport, Link {
  readonly incoming = new Channel<Incoming>();
  readonly closed: Promise<CloseInfo>;
  readonly options: HttpOptions;
  readonly times: HttpTimes;
  readonly read: Link["read"];
  readStream: Link["readStream"];
  ownStream: Link["ownStream"];
  readonly lingering: Deadlines;
  remarks = 0;
  readonly idsFrom: number;
  readonly #session: HttpSession;
  readonly #headers: PostHeaders;
  readonly #exchanges: Exchanges;
  /** The server's own stream ends with it, once there is one. */
  #ending: AbortController | undefined;
  readonly #tells = new UnderWay();
  readonly #closing = Promise.withResolvers<CloseInfo>();
  readonly #goodbyes: Goodbyes;
  #isClosed = false;
  /** We declared that somebody answers questions. */
  #mayBeAsked = false;
  #lostStatus: number | undefined;

  constructor(options: HttpOptions) {
    const { name, log, times, responseBytesMax: bytesMax = responseBytesMax } = options;
    this.options = options;
    this.times = { ...defaultTimes, ...times };
    this.lingering = new Deadlines(this.times.lingerMs);
    this.read = textReader({ name, log, unit: "HTTP answer", bytesMax });
    this.#session = new HttpSession(options);
    this.#headers = new PostHeaders(this.#session);
    // Whoever had the session before counted from 1, or from an earlier time.
    this.idsFrom = options.session === undefined ? 0 : Date.now();
    this.#goodbyes = new Goodbyes((init) => this.fetch(init), this.times.deleteMs);
    const [session, goodbyes] = [this.#session, this.#goodbyes];
    this.#exchanges = new Exchanges({ link: this, session, goodbyes });
    this.closed = this.#closing.promise;
  }

  /** A request is handed over at once and fails as an item; all else is sent when the server has taken it. */
  send(message: Message, options?: SendOptions): Promise<void> | undefined {
    const body = JSON.stringify(message);
    if (this.#isClosed || this.#lostStatus !== undefined) return this.#refuse(message);
    if (!isRequest(message)) return this.#tell(message, body, options);
    this.#ask(message, body, options?.headers);
    return undefined;
  }

  keepSession(): Session | undefined {
    return this.#session.keep();
  }

  owes(): boolean {
    return this.#session.endsWithLink || this.#tells.isAny || this.#goodbyes.isAny;
  }

  abandon(id: RequestId): boolean {
    return this.#exchanges.abandon(id)?.isModern === true;
  }

  facts(): Pick<CloseInfo, "stderr" | "noise"> {
    return {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end({ kind: "local" });
    await this.#tells.end(this.times.tellMs);
    if (this.#session.endsWithLink) this.#goodbyes.say(this.#session.headers);
    this.#session.forget();
    await this.#goodbyes.said();
  }

  take(items: readonly Incoming[], exchange?: Exchange): Promise<void> | undefined {
    let room: Promise<void> | undefined;
    for (const item of items) {
      const own = this.#exchanges.attribute(item, exchange);
      if (own !== undefined) room = this.incoming.push(own) ?? room;
    }
    return room;
  }

  fetch(init: BunFetchRequestInit): Promise<Response> {
    // How long an answer may take, and a stream be quiet, is for whoever waits for it to say.
    init.timeout = false;
    return this.options.fetch(this.options.url, init);
  }

  get(lastEventId: string | undefined, signal: AbortSignal): Promise<Response> {
    const headers = { ...this.#session.headers, ...streamHeaders(lastEventId) };
    return this.fetch({ method: "GET", headers, signal });
  }

  get hasSession(): boolean {
    return this.#session.isOpen;
  }

  loseSession(httpStatus: number): void {
    if (this.#lostStatus !== undefined) return;
    this.#lostStatus = httpStatus;
    const how = `no longer knows this session (HTTP ${httpStatus})`;
    this.#lose({ kind: "error", httpStatus, how });
  }

  loseServer({ facts }: HostError): void {
    this.#lose({ kind: "error", how: `is not there any more (${String(facts.errno)})` });
  }

  /** Begins the exchange of one request. */
  #ask(message: Request, body: string, headers: SendOptions["headers"]): void {
    const isModern = revisionIn(message) !== undefined;
    if (message.method === "initialize") {
      this.#session.forget();
      this.#mayBeAsked = Object.keys(message.params?.capabilities ?? {}).length > 0;
    }
    const own = this.#headers.of(message, headers);
    this.#exchanges.begin(message, isModern, { method: "POST", body, headers: own });
  }

  /** Sends what has no answer. */
  async #tell(
    message: Message,
    body: string,
    { signal, headers }: SendOptions = {},
  ): Promise<void> {
    const what = nameOf(message);
    const hadSession = this.#session.isOpen;
    const until = this.#tells.until(signal);
    const own = this.#headers.of(message, headers);
    const init = { method: "POST", body, headers: own, signal: until };
    const isTaken = await this.#tells.track(tell(this, { what, init, hadSession }));
    if (!isTaken || this.#isClosed || what !== "notifications/initialized") return;
    const { signal: ending } = (this.#ending ??= new AbortController());
    // Some servers ask on their own stream, and lose what they ask while it is not there.
    if (this.#mayBeAsked) await listenNow(this, ending);
    else listenSoon(this, ending);
  }

  /** There is no link to send it on. */
  async #refuse(message: Message): Promise<void> {
    const { closedError, lostSession } = await import("./http-errors.ts");
    const { name } = this.options;
    if (this.#isClosed || this.#lostStatus === undefined) throw closedError(name);
    const error = lostSession(name, nameOf(message), this.#lostStatus);
    if (!isRequest(message)) throw error;
    void this.incoming.push({ failed: { id: message.id, error } });
  }

  /** Others in flight are told by their own answers; what is left then goes with the link. */
  #lose(info: CloseInfo): void {
    this.#session.forget();
    const settled = settlesWithin(this.#exchanges.idle, this.times.settleMs);
    void settled.then(() => this.#end(info));
  }

  #end(info: CloseInfo): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ending?.abort();
    if (info.kind !== "local") void this.#tells.end(0);
    this.#exchanges.end();
    this.incoming.end();
    this.#closing.resolve(info);
  }
}
