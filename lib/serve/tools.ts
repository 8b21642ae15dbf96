/**
 * `/tools` as llama-server answers it, with more beside its fields, and `POST /tools/NAME` for one tool. A call is the
 * client's as long as the client waits: who leaves cancels it. Arguments pass untouched, and all content is kept.
 */
import type { JsonObject } from "../base/json.ts";
import type { Outcome } from "../hooks/call.ts";
import type { CallListener } from "../host/opened-types.ts";
import type { BegunCall, BookedRequest } from "./calls-begun.ts";
import { HttpError, isHttpError, toHttpError } from "./http-error.ts";
import { answerText } from "./tools-answer.ts";
import { readArguments, readAskedCall } from "./tools-body.ts";
import { toolEntry } from "./tools-list.ts";
import { CallLogs } from "./tools-logs.ts";
import { policiesOf, toolsNow } from "./tools-now.ts";
import { llamaRefusal, refusalOf } from "./tools-refusal.ts";
import { streamCall } from "./tools-stream.ts";
import { traceOf } from "./trace.ts";
import type { Exchange, Face, ServeContext } from "./types.ts";

/** `GET /tools` · `POST /tools` · `POST /tools/NAME`. */
export const toolRoutes: Face = (context) => {
  const now = toolsNow(context);
  const logs = new CallLogs(context.host, context.stopping);
  return [
    {
      method: "GET",
      path: "/tools",
      async handle(exchange) {
        const seen = await now({ allows: context.profiles.narrowed(exchange) });
        const policies = await policiesOf(context, seen);
        return Response.json(seen.map((tool, i) => toolEntry(tool, policies[i])));
      },
    },
    {
      method: "POST",
      path: "/tools",
      handle: (exchange) => new LlamaRequest(exchange, context, logs).answer(),
    },
    {
      method: "POST",
      path: "/tools/:name",
      handle: (exchange) => new NamedRequest(exchange, context).answer(),
    },
  ];
};

// --- internal ---

/**
 * A request for the call of a tool. Who leaves cancels it; when the process ends, the book does. A client that would rather
 * not wait (`Prefer: respond-async`, RFC 7240) gets no outcome as soon as its call waits for approval: that goes on without it.
 */
abstract class ToolRequest implements CallListener {
  protected readonly exchange: Exchange;
  protected readonly context: ServeContext;
  #call: BegunCall | undefined;
  #waiting: PromiseWithResolvers<undefined> | undefined;

  constructor(exchange: Exchange, context: ServeContext) {
    this.exchange = exchange;
    this.context = context;
  }

  abstract answer(): Promise<Response>;

  onWaiting(): void {
    this.#waiting?.resolve(undefined);
  }

  protected get id(): string {
    return this.#call?.record.id ?? "";
  }

  /** Begins the call. */
  protected outcomeOf(tool: string, params: JsonObject): Promise<Outcome | undefined> {
    const { caller, request } = this.exchange;
    const asked: BookedRequest = {
      tool,
      arguments: params,
      actor: "gateway",
      owner: caller.owner,
      admits: caller.allows,
      listedOnly: true,
    };
    const meta = traceOf(request);
    if (meta !== undefined) asked.meta = meta;
    const prefer = request.headers.get("prefer");
    if (prefer !== null && respondAsync.test(prefer)) {
      this.#waiting = Promise.withResolvers();
      asked.listener = this;
      asked.keepsResult = true;
    }
    const call = (this.#call = this.context.calls.begin(asked));
    this.exchange.onLeave(call);
    if (this.#waiting === undefined) return call.outcome;
    return Promise.race([call.outcome, this.#waiting.promise]);
  }

  /** It waits for approval, and can be looked at. */
  protected accepted(): Response {
    const { exchange, id } = this;
    exchange.onLeave(undefined);
    const headers = { location: `/calls/${id}`, "preference-applied": "respond-async" };
    return Response.json({ call: id, status: "waiting" }, { status: 202, headers });
  }

  /** @throws HttpError where the name means nothing to this caller, or is denied */
  protected refuse(outcome: Outcome): void {
    const { caller } = this.exchange;
    const { record, isAdmitted: isKnown = false } = this.#call ?? {};
    const refusal = refusalOf(outcome, { name: record?.name ?? "", caller, isKnown });
    if (refusal !== undefined) throw refusal;
  }
}

/** All that goes wrong with the request is told in llama-server's shape. */
class LlamaRequest extends ToolRequest {
  readonly #logs: CallLogs;

  constructor(exchange: Exchange, context: ServeContext, logs: CallLogs) {
    super(exchange, context);
    this.#logs = logs;
  }

  async answer(): Promise<Response> {
    const { redact } = this.context;
    try {
      const { tool, params, stream } = readAskedCall(await this.exchange.json());
      if (stream) {
        const logs = this.#logs;
        return await streamCall(this.exchange, this.context, { tool, params, logs });
      }
      const outcome = await this.outcomeOf(tool, params);
      if (outcome === undefined) return this.accepted();
      if (outcome.error !== undefined) this.refuse(outcome);
      return new Response(answerText(outcome, this.id, redact), llamaInit);
    } catch (error) {
      // Anything else is a fault of ours: it is logged, and told to nobody.
      if (!isHttpError(error)) throw error;
      return llamaRefusal(error, redact);
    }
  }
}

const respondAsync = /(^|[,;\s])respond-async($|[,;\s])/i;
const llamaInit = { headers: { "content-type": "application/json;charset=utf-8" } };

/** The result as the server sent it, byte for byte. */
class NamedRequest extends ToolRequest {
  /** @throws HttpError, HostError */
  async answer(): Promise<Response> {
    const params = readArguments(await this.exchange.json(), "the body");
    const outcome = await this.outcomeOf(this.exchange.params["name"] ?? "", params);
    if (outcome === undefined) return this.accepted();
    if (outcome.error !== undefined) this.refuse(outcome);
    const { id } = this;
    if (outcome.error !== undefined || outcome.result === undefined) throw withCall(outcome, id);
    const headers = { "content-type": "application/json", "mcphost-call": id };
    return new Response(outcome.raw, { headers });
  }
}

/** The error of a call by its code, with the call's id and, where arguments do not fit, each of them. */
function withCall({ error }: Outcome, id: string): HttpError {
  const { status, code, message, options } = toHttpError(error);
  const problems = error?.facts["problems"];
  const facts = { ...options.facts, ...(problems !== undefined && { problems }), call: id };
  return new HttpError(status, code, message, { ...options, facts });
}
