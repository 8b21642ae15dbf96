/**
 * `/tools` as llama-server answers it, with more beside its fields, and `POST /tools/NAME` for one tool. A call is the
 * client's as long as the client waits: who leaves cancels it. Arguments pass untouched, and all content is kept.
 */
import type { JsonObject } from "../base/json.ts";
import type { Outcome } from "../hooks/call.ts";
import { HttpError, isHttpError, toHttpError } from "./http-error.ts";
import { answerTexts } from "./tools-answer.ts";
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
    const { tool, params, stream } = readAskedCall(await exchange.json());
    if (stream) return await streamCall(exchange, context, { tool, params, logs });
    const { id, outcome } = await call(exchange, context, { tool, params });
    if (outcome === undefined) return accepted(id);
    const { redact } = context;
    const [text] = answerTexts(outcome, id, { redact, parts: (body) => [body] });
    return new Response(text, { headers: { "content-type": "application/json;charset=utf-8" } });
  } catch (error) {
    // Anything else is a fault of ours: it is logged, and told to nobody.
    if (!isHttpError(error)) throw error;
    return llamaRefusal(error, context.redact);
  }
}

/** The result as the server sent it, byte for byte. @throws HttpError, HostError */
async function answerTool(exchange: Exchange, context: ServeContext): Promise<Response> {
  const tool = exchange.params["name"] ?? "";
  const params = readArguments(await exchange.json(), "the body");
  const { id, outcome } = await call(exchange, context, { tool, params });
  if (outcome === undefined) return accepted(id);
  const headers = { "content-type": "application/json", "mcphost-call": id };
  if (outcome.error === undefined && outcome.result !== undefined)
    return new Response(outcome.raw, { headers });
  throw withCall(outcome, id);
}

/**
 * The call, once it has ended; where the client would rather not wait (`Prefer: respond-async`, RFC 7240), no outcome as soon
 * as it waits for approval: it goes on without its client.
 * @throws HttpError where the name means nothing to this caller, or is denied
 */
async function call(
  exchange: Exchange,
  { calls }: ServeContext,
  { tool, params }: { tool: string; params: JsonObject },
): Promise<{ id: string; outcome: Outcome | undefined }> {
  const { caller, request } = exchange;
  let isKnown = false;
  const meta = traceOf(request);
  const isPatient = !/(^|[,;\s])respond-async($|[,;\s])/i.test(request.headers.get("prefer") ?? "");
  const begun = calls.begin({
    keepsResult: !isPatient,
    tool,
    arguments: params,
    actor: "gateway",
    owner: caller.owner,
    admits: caller.allows,
    listedOnly: true,
    ...(meta && { meta }),
    onCall: () => (isKnown = true),
  });
  // Until it is let go of. When the process ends, the book ends the call.
  using _leaving = exchange.onLeave(() => calls.leave(begun.id));
  const waits = isPatient ? [] : [begun.waiting.then(() => undefined)];
  const outcome = await Promise.race([begun.outcome, ...waits]);
  if (outcome === undefined) return { id: begun.id, outcome };
  const refusal = refusalOf(outcome, { name: tool, caller, isKnown });
  if (refusal !== undefined) throw refusal;
  return { id: begun.id, outcome };
}

/** It waits for approval, and can be looked at. */
function accepted(id: string): Response {
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
