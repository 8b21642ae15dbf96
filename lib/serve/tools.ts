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
    { method: "POST", path: "/tools", handle: (exchange) => answerTools(exchange, context, logs) },
    { method: "POST", path: "/tools/:name", handle: (exchange) => answerTool(exchange, context) },
  ];
};

// --- internal ---

/** All that goes wrong with the request is told in llama-server's shape. */
async function answerTools(
  exchange: Exchange,
  context: ServeContext,
  logs: CallLogs,
): Promise<Response> {
  try {
    const asked = readAskedCall(await exchange.json());
    if (asked.stream) return await streamCall(exchange, context, { ...asked, logs });
    const waits = waitsOf(exchange);
    const call = begin(exchange, context, asked, waits);
    const outcome = await (waits === undefined ? call.outcome : waits.or(call));
    if (outcome === undefined) return accepted(call, exchange);
    if (outcome.error !== undefined) refuseUnknown(outcome, call, exchange);
    return new Response(answerText(outcome, call.record.id, context.redact), llamaInit);
  } catch (error) {
    // Anything else is a fault of ours: it is logged, and told to nobody.
    if (!isHttpError(error)) throw error;
    return llamaRefusal(error, context.redact);
  }
}

/** The result as the server sent it, byte for byte. @throws HttpError, HostError */
async function answerTool(exchange: Exchange, context: ServeContext): Promise<Response> {
  const params = readArguments(await exchange.json(), "the body");
  const waits = waitsOf(exchange);
  const call = begin(exchange, context, { tool: exchange.params["name"] ?? "", params }, waits);
  const outcome = await (waits === undefined ? call.outcome : waits.or(call));
  if (outcome === undefined) return accepted(call, exchange);
  if (outcome.error !== undefined) refuseUnknown(outcome, call, exchange);
  const { id } = call.record;
  if (outcome.error !== undefined || outcome.result === undefined) throw withCall(outcome, id);
  const headers = { "content-type": "application/json", "mcphost-call": id };
  return new Response(outcome.raw, { headers });
}

/** Begins the call. Who leaves cancels it; when the process ends, the book does. */
function begin(
  exchange: Exchange,
  { calls }: ServeContext,
  { tool, params }: { tool: string; params: JsonObject },
  waits: Waits | undefined,
): BegunCall {
  const { caller, request } = exchange;
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
  if (waits !== undefined) {
    asked.listener = waits;
    asked.keepsResult = true;
  }
  const call = calls.begin(asked);
  exchange.onLeave(call);
  return call;
}

/**
 * For a client that would rather not wait (`Prefer: respond-async`, RFC 7240): there is no outcome as soon as its call waits
 * for approval; that goes on without its client.
 */
class Waits implements CallListener {
  readonly #begun = Promise.withResolvers<undefined>();

  onWaiting(): void {
    this.#begun.resolve(undefined);
  }

  or({ outcome }: BegunCall): Promise<Outcome | undefined> {
    return Promise.race([outcome, this.#begun.promise]);
  }
}

/** Undefined for a client that waits. */
function waitsOf({ request }: Exchange): Waits | undefined {
  const prefer = request.headers.get("prefer");
  return prefer !== null && respondAsync.test(prefer) ? new Waits() : undefined;
}

const respondAsync = /(^|[,;\s])respond-async($|[,;\s])/i;

/** @throws HttpError where the name means nothing to this caller, or is denied */
function refuseUnknown(outcome: Outcome, call: BegunCall, { caller }: Exchange): void {
  const { record, isAdmitted } = call;
  const refusal = refusalOf(outcome, { name: record.name, caller, isKnown: isAdmitted });
  if (refusal !== undefined) throw refusal;
}

const llamaInit = { headers: { "content-type": "application/json;charset=utf-8" } };

/** It waits for approval, without its client, and can be looked at. */
function accepted({ record: { id } }: BegunCall, exchange: Exchange): Response {
  exchange.onLeave(undefined);
  const headers = { location: `/calls/${id}`, "preference-applied": "respond-async" };
  return Response.json({ call: id, status: "waiting" }, { status: 202, headers });
}

/** The error of a call by its code, with the call's id and, where arguments do not fit, each of them. */
function withCall({ error }: Outcome, id: string): HttpError {
  const { status, code, message, options } = toHttpError(error);
  const problems = error?.facts["problems"];
  const facts = { ...options.facts, ...(problems !== undefined && { problems }), call: id };
  return new HttpError(status, code, message, { ...options, facts });
}
