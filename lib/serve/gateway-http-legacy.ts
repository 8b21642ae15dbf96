/**
 * Legacy clients over Streamable HTTP: sessions, their requests, batches (2025-03-26), and the stream of what belongs to no
 * request. A client that leaves has not cancelled: only `notifications/cancelled` does (protocol.md 2.4).
 */
import type { Json } from "../base/json.ts";
import { eraOf } from "../protocol/codecs.ts";
import { isRequest, RpcError } from "../protocol/jsonrpc.ts";
import type { Notification, Request, Response as Answer } from "../protocol/jsonrpc.ts";
import { accepts, formOf } from "./gateway-accept.ts";
import type { Form } from "./gateway-accept.ts";
import { notHere, readBatch } from "./gateway-batch.ts";
import { unsupported, versionIn } from "./gateway-era.ts";
import { hear } from "./gateway-guests.ts";
import { beginSession, sessionHeader, streamed } from "./gateway-http-begin.ts";
import type { HttpWorld } from "./gateway-http-question.ts";
import { refuse } from "./gateway-refuse.ts";
import { HttpReply, JsonReply } from "./gateway-reply.ts";
import { Underway } from "./gateway-running.ts";
import type { ReplyTo } from "./gateway-running.ts";
import type { Scope } from "./gateway-types.ts";
import type { Session, Sessions } from "./sessions.ts";
import { eventStream } from "./stream.ts";
import type { Exchange } from "./types.ts";

export class LegacyHttp {
  readonly #sessions: Sessions;
  readonly #world: HttpWorld;

  constructor(sessions: Sessions, world: HttpWorld) {
    this.#sessions = sessions;
    this.#world = world;
  }

  /** One request or notification. Undefined: the answer comes by itself. */
  post(
    message: Request | Notification,
    exchange: Exchange,
    scope: Scope,
  ): Response | Promise<Response> | undefined {
    const id = isRequest(message) ? message.id : null;
    const form = isRequest(message) ? formOf(exchange.request.headers.get("accept")) : "any";
    if (form === "none")
      return refuse(
        406,
        plainError("Accept has to name application/json and text/event-stream"),
        id,
      );
    if (isRequest(message) && message.method === "initialize") {
      const begun = beginSession(message, scope, { sessions: this.#sessions, ...this.#world });
      return form === "stream" ? streamed(begun) : begun;
    }
    const session = this.#sessionOf(exchange, scope, id);
    if (session instanceof Response) return session;
    if (isRequest(message)) return void this.#answer(message, session, exchange, form);
    this.#notified(message, session);
    return accepted();
  }

  /** Several messages: of sessions of 2025-03-26 alone. Undefined as of `post`. */
  batch(values: readonly Json[], exchange: Exchange, scope: Scope): Response | undefined {
    const batch = readBatch(values, scope);
    if (batch instanceof RpcError) return refuse(400, batch);
    if (!exchange.request.headers.has("mcp-session-id")) return refuse(400, notHere());
    const session = this.#sessionOf(exchange, scope, null);
    if (session instanceof Response) return session;
    if (!session.knows.batches) return refuse(400, notHere());
    const { requests, notifications, answers } = batch;
    for (const answer of answers) session.questions?.answered(answer);
    for (const notification of notifications) this.#notified(notification, session);
    const [only, ...more] = requests;
    if (only === undefined) return accepted();
    if (more.length === 0) this.#answer(only, session, exchange);
    else this.#answerAll(requests, session, exchange);
    return undefined;
  }

  /** The answer to a question of ours. */
  take(answer: Answer, exchange: Exchange, scope: Scope): Response {
    const session = this.#sessionOf(exchange, scope, null);
    if (session instanceof Response) return session;
    session.questions?.answered(answer);
    return accepted();
  }

  /** GET: the stream of what belongs to no request. */
  stream(exchange: Exchange, scope: Scope): Response {
    if (!accepts(exchange.request.headers.get("accept"), "text/event-stream"))
      return refuse(406, plainError("Accept has to name text/event-stream"));
    const session = this.#sessionOf(exchange, scope, null);
    if (session instanceof Response) return session;
    const { context } = this.#world;
    const last = exchange.request.headers.get("last-event-id");
    const lost = last === null ? undefined : session.replays?.find(last);
    if (lost !== undefined) {
      const { streams } = context;
      const stopping = new AbortController().signal;
      const again = eventStream(
        exchange,
        { streams, stopping },
        { headers: sessionHeader(session) },
      );
      lost.stream.attach(again, lost.after);
      return again.response;
    }
    const stream = eventStream(exchange, context, { headers: sessionHeader(session) });
    // Headers leave with the first bytes.
    stream.comment("open");
    session.open(stream);
    return stream.response;
  }

  /** DELETE. */
  end(exchange: Exchange, scope: Scope): Response {
    const session = this.#sessionOf(exchange, scope, null);
    if (session instanceof Response) return session;
    this.#sessions.end(session);
    return new Response(null, { status: 204 });
  }

  // --- internal ---

  #notified(notification: Notification, session: Session): void {
    hear(session, notification);
    session.running.notified(notification);
  }

  /** The session that a request names, or why there is none. */
  #sessionOf(
    { request: { headers } }: Exchange,
    scope: Scope,
    id: Request["id"] | null,
  ): Session | Response {
    const named = headers.get("mcp-session-id");
    const version = versionIn(headers);
    if (version !== undefined && eraOf(version) !== "legacy") {
      const { status, error } = unsupported(version);
      return refuse(status, error, id);
    }
    if (named === null)
      return refuse(400, plainError("Mcp-Session-Id is missing: initialize gives one"), id);
    const session = this.#sessions.find(named, scope);
    return session ?? refuse(404, new RpcError({ code: -32001, message: "Session not found" }), id);
  }

  /** The client may leave and the request goes on. */
  #answer(request: Request, session: Session, exchange: Exchange, form: Form = "any"): void {
    hear(session, request);
    const Reply = form === "json" ? JsonReply : HttpReply;
    const reply = new Reply(request.id, exchange, this.#world, session.replays);
    reply.begin();
    if (form === "stream") reply.open();
    session.running.answer(new Underway(request, session, reply), this.#world.gateway);
  }

  /** Several at once, on a stream. @throws HttpError 503 */
  #answerAll(requests: readonly Request[], session: Session, exchange: Exchange): void {
    for (const request of requests) hear(session, request);
    const reply = new HttpReply(null, exchange, this.#world, session.replays);
    reply.begin();
    reply.open();
    let left = requests.length;
    const each: ReplyTo = {
      say: (text, isNeeded) => reply.say(text, isNeeded),
      finish(text) {
        if (text !== undefined) reply.say(text);
        left -= 1;
        if (left === 0) reply.finish(undefined);
      },
    };
    for (const request of requests)
      session.running.answer(new Underway(request, session, each), this.#world.gateway);
  }
}

// --- internal ---

function accepted(): Response {
  return new Response(null, { status: 202 });
}

function plainError(message: string): RpcError {
  return new RpcError({ code: -32000, message });
}
