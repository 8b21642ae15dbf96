/** A request for the call of a tool, from its body to its answer: one object, which hears of both. */
import type { Json, JsonObject } from "../base/json.ts";
import type { Outcome } from "../hooks/call.ts";
import type { CallListener } from "../host/opened-types.ts";
import { jsonIn } from "./body.ts";
import type { BookedRequest } from "./calls-begun.ts";
import { refusalOf } from "./tools-refusal.ts";
import { traceOf } from "./trace.ts";
import type { BodyReader, Exchange, ServeContext } from "./types.ts";

/**
 * Who leaves cancels it; when the process ends, the book does. A client that would rather
 * not wait (`Prefer: respond-async`, RFC 7240) gets no outcome as soon as its call waits for approval: that goes on without it.
 */
export abstract class ToolRequest implements BodyReader, CallListener {
  protected readonly exchange: Exchange;
  protected readonly context: ServeContext;
  /** Of the call. */
  protected readonly id = crypto.randomUUID();
  #tool = "";
  /** The name means a tool, and no rule denied it. */
  #isKnown = false;
  #mayWait = false;

  constructor(exchange: Exchange, context: ServeContext) {
    this.exchange = exchange;
    this.context = context;
  }

  answer(): Promise<Response> {
    this.exchange.read(this);
    return this.exchange.later();
  }

  took(text: string): void {
    try {
      this.asked(jsonIn(text));
    } catch (error) {
      this.broke(error);
    }
  }

  broke(error: unknown): void {
    this.exchange.fail(error);
  }

  onCall(): void {
    this.#isKnown = true;
  }

  /** It can be looked at. */
  onWaiting(): void {
    if (!this.#mayWait) return;
    const { exchange, id } = this;
    exchange.onLeave(undefined);
    const headers = { location: `/calls/${id}`, "preference-applied": "respond-async" };
    exchange.respond(Response.json({ call: id, status: "waiting" }, { status: 202, headers }));
  }

  onEnd(outcome: Outcome): void {
    try {
      if (outcome.error !== undefined) this.#refuse(outcome);
      this.exchange.respond(this.made(outcome));
    } catch (error) {
      this.broke(error);
    }
  }

  /** Begins the call, or whatever the body asks for. @throws HttpError 400 */
  protected abstract asked(body: Json): void;

  /** @throws HttpError, HostError */
  protected abstract made(outcome: Outcome): Response;

  /** Begins the call. */
  protected call(tool: string, params: JsonObject): void {
    const { caller, request } = this.exchange;
    this.#tool = tool;
    const asked: BookedRequest = {
      tool,
      arguments: params,
      id: this.id,
      actor: "gateway",
      owner: caller.owner,
      admits: caller.allows,
      listedOnly: true,
      listener: this,
    };
    const meta = traceOf(request);
    if (meta !== undefined) asked.meta = meta;
    const prefer = request.headers.get("prefer");
    if (prefer !== null && respondAsync.test(prefer)) this.#mayWait = asked.keepsResult = true;
    this.exchange.onLeave(this.context.calls.begin(asked));
  }

  // --- internal ---

  /** @throws HttpError where the name means nothing to this caller, or is denied */
  #refuse(outcome: Outcome): void {
    const { caller } = this.exchange;
    const refusal = refusalOf(outcome, { name: this.#tool, caller, isKnown: this.#isKnown });
    if (refusal !== undefined) throw refusal;
  }
}

// --- internal ---

const respondAsync = /(^|[,;\s])respond-async($|[,;\s])/i;
