/**
 * The requests of ours that are in flight over HTTP: each is an exchange of its own, from its POST until its answer is
 * handed on, and takes no other with it where it fails. Whose answer is whose: an answer goes to the request of its id, on
 * whatever stream it came, and once.
 */
import { debug } from "../base/log.ts";
import { isResponse } from "../protocol/jsonrpc.ts";
import type { Request, RequestId, Response as Answer } from "../protocol/jsonrpc.ts";
import { isBrief, readResponse, takeText } from "./http-answer.ts";
import { strayHeaders } from "./http-session.ts";
import type { Goodbyes, HttpSession } from "./http-session.ts";
import type { Exchange, Link } from "./http-types.ts";
import type { Incoming } from "./transport.ts";

export interface ExchangesOptions {
  link: Link;
  session: HttpSession;
  goodbyes: Goodbyes;
}

export class Exchanges {
  readonly #open = new Map<RequestId, Exchange>();
  readonly #options: ExchangesOptions;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: ExchangesOptions) {
    this.#options = options;
  }

  /** Sends a request as `init` has it, and sees to it until it is answered or failed. */
  begin(message: Request, isModern: boolean, init: RequestInit): void {
    const { id } = message;
    const hadSession = !isModern && this.#options.session.isOpen;
    const ending = new AbortController();
    init.signal = ending.signal;
    const exchange: Exchange = {
      id,
      message,
      isModern,
      hadSession,
      ending,
      isAnswered: false,
      stray: undefined,
      aside: undefined,
      onAnswered: undefined,
    };
    this.#open.set(id, exchange);
    void this.#run(exchange, init);
  }

  /** Ends the HTTP request of one that nobody waits for; undefined where there is none. */
  abandon(id: RequestId): Exchange | undefined {
    const exchange = this.#open.get(id);
    if (exchange === undefined) return undefined;
    exchange.ending.abort();
    this.#remove(exchange);
    return exchange;
  }

  /** Ends all. */
  end(): void {
    for (const id of this.#open.keys()) this.abandon(id);
  }

  /** Resolves once nothing is in flight. */
  get idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  /**
   * What is to be handed on of an item that came with `exchange` (absent: on a stream of nobody's): undefined for an
   * answer that no request waits for. An error without an id, on what answers one request, is that request's.
   */
  attribute(item: Incoming, exchange: Exchange | undefined): Incoming | undefined {
    if ("failed" in item) return this.#first(this.#find(item.failed.id)) && item;
    if ("oversize" in item) return this.#oversize(item, exchange);
    const { message } = item;
    if (!isResponse(message)) return item;
    const isOwn = message.id === null && message.error !== undefined && exchange !== undefined;
    const target = isOwn ? exchange : this.#find(message.id);
    if (target === undefined) return this.#stray(message, exchange);
    if (!this.#first(target)) return undefined;
    if (message.error !== undefined && target.hadSession)
      void this.#lookInto(message.error, target.message);
    if (target.message.method === "initialize")
      this.#options.session.agree(target.message, message);
    return isOwn ? { ...item, message: { ...message, id: target.id } } : item;
  }

  // --- internal ---

  /** Never throws. */
  async #run(exchange: Exchange, init: RequestInit): Promise<void> {
    const { link, session, goodbyes } = this.#options;
    const { method } = exchange.message;
    try {
      const response = await link.fetch(init);
      const { headers } = response;
      const isProbe = exchange.isModern && method === "server/discover";
      const stray = isProbe ? strayHeaders(headers) : undefined;
      if (stray !== undefined) goodbyes.say(stray);
      else if (method === "initialize" && response.ok) session.begin(headers);
      else if (!exchange.isModern) session.check(headers);
      // On the path of every call: no more than it takes.
      const rest = isBrief(response, link)
        ? takeText({ text: await response.text() }, response, exchange, link)
        : readResponse(response, exchange, link);
      if (rest !== undefined) await rest;
    } catch (error) {
      exchange.ending.abort();
      const { brokenError } = await import("./http-errors.ts");
      const failed = { id: exchange.id, error: brokenError(error, link.options.name, method) };
      void link.take([{ failed }]);
    } finally {
      this.#remove(exchange);
    }
  }

  /** It is over, one way or another. */
  #remove(exchange: Exchange): void {
    if (this.#open.get(exchange.id) === exchange) this.#open.delete(exchange.id);
    if (this.#open.size === 0) this.#idle?.resolve();
  }

  /** An error may say that the session is over; it is the answer all the same. */
  async #lookInto(reason: { code: number; message: string }, asked: Request): Promise<void> {
    const { isOverBy } = await import("./lost-session.ts");
    if (isOverBy(reason, asked)) this.#options.link.loseSession(200);
  }

  #oversize(
    item: Extract<Incoming, { oversize: unknown }>,
    exchange: Exchange | undefined,
  ): Incoming | undefined {
    const { id, call } = item.oversize;
    if (call === true) return item;
    const target = id === undefined ? exchange : this.#find(id);
    if (target === undefined) return item;
    return this.#first(target) && { oversize: { ...item.oversize, id: target.id } };
  }

  /** Marks it as answered; false if it was before. */
  #first(exchange: Exchange | undefined): true | undefined {
    if (exchange === undefined || exchange.isAnswered) return undefined;
    exchange.isAnswered = true;
    exchange.onAnswered?.();
    return true;
  }

  #find(id: RequestId | null): Exchange | undefined {
    if (id === null) return undefined;
    return this.#open.get(id) ?? (typeof id === "string" ? this.#open.get(Number(id)) : undefined);
  }

  #stray({ id }: Answer, exchange: Exchange | undefined): undefined {
    const { name, log } = this.#options.link.options;
    const shown = JSON.stringify(id).slice(0, 80);
    debug(log, name, () => `an answer under id ${shown} was dropped: no request waits for it`);
    if (exchange !== undefined) exchange.stray ??= shown;
  }
}
