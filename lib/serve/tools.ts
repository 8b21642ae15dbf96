/**
 * `/tools` as llama-server answers it, with more beside its fields, and `POST /tools/NAME` for one tool. A call is the
 * client's as long as the client waits: who leaves cancels it. Arguments pass untouched, and all content is kept.
 */
import type { Json, JsonObject } from "../base/json.ts";
import type { Outcome } from "../hooks/call.ts";
import { HttpError, isHttpError, toHttpError } from "./http-error.ts";
import { answerText } from "./tools-answer.ts";
import { readArguments, readAskedCall } from "./tools-body.ts";
import { toolEntry } from "./tools-list.ts";
import { CallLogs } from "./tools-logs.ts";
import { policiesOf, toolsNow } from "./tools-now.ts";
import { llamaRefusal } from "./tools-refusal.ts";
import { ToolRequest } from "./tools-request.ts";
import { streamCall } from "./tools-stream.ts";
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

/** All that goes wrong with the request is told in llama-server's shape. */
class LlamaRequest extends ToolRequest {
  readonly #logs: CallLogs;

  constructor(exchange: Exchange, context: ServeContext, logs: CallLogs) {
    super(exchange, context);
    this.#logs = logs;
  }

  /** Anything that is no such error is a fault of ours: it is logged, and told to nobody. */
  override broke(error: unknown): void {
    if (isHttpError(error)) this.exchange.respond(llamaRefusal(error, this.context.redact));
    else this.exchange.fail(error);
  }

  protected asked(body: Json): void {
    const { tool, params, stream } = readAskedCall(body);
    if (stream) void this.#stream(tool, params);
    else this.call(tool, params);
  }

  protected made(outcome: Outcome): Response {
    return new Response(answerText(outcome, this.id, this.context.redact), llamaInit);
  }

  // --- internal ---

  async #stream(tool: string, params: JsonObject): Promise<void> {
    const { exchange, context } = this;
    try {
      const logs = this.#logs;
      exchange.respond(await streamCall(exchange, context, { tool, params, logs }));
    } catch (error) {
      this.broke(error);
    }
  }
}

/** Made once, as headers: a response only copies them. */
const jsonInit = { headers: new Headers({ "content-type": "application/json" }) };
const llamaInit = { headers: new Headers({ "content-type": "application/json;charset=utf-8" }) };

/** The result as the server sent it, byte for byte. */
class NamedRequest extends ToolRequest {
  /** A body without anything has no arguments. */
  override took(text: string): void {
    super.took(text === "" ? "{}" : text);
  }

  protected asked(body: Json): void {
    this.call(this.exchange.params["name"] ?? "", readArguments(body, "the body"));
  }

  protected made(outcome: Outcome): Response {
    const { id } = this;
    if (outcome.error !== undefined || outcome.result === undefined) throw withCall(outcome, id);
    const response = new Response(outcome.raw, jsonInit);
    response.headers.set("mcphost-call", id);
    return response;
  }
}

/** The error of a call by its code, with the call's id and, where arguments do not fit, each of them. */
function withCall({ error }: Outcome, id: string): HttpError {
  const { status, code, message, options } = toHttpError(error);
  const problems = error?.facts["problems"];
  const facts = { ...options.facts, ...(problems !== undefined && { problems }), call: id };
  return new HttpError(status, code, message, { ...options, facts });
}
