/**
 * Modern requests over HTTP: each stands for itself, and its stream is its own. A client that leaves has cancelled
 * (protocol.md 2.2, 2.3).
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { argumentHeaders } from "../protocol/argument-headers.ts";
import type { ArgumentHeaders } from "../protocol/argument-headers.ts";
import { decodeHeaderValue } from "../protocol/headers.ts";
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import type { Request, RequestId } from "../protocol/jsonrpc.ts";
import { headerMismatch, missingCapability } from "../protocol/meta.ts";
import { answerText, errorText, messageText } from "./gateway-messages.ts";
import { refuse } from "./gateway-refuse.ts";
import { HttpReply } from "./gateway-reply.ts";
import type { ReplyWorld } from "./gateway-reply.ts";
import type { Cancellable, Downstream, Gateway, Notify, Question } from "./gateway-types.ts";
import type { Exchange, Leaver, ServeContext } from "./types.ts";

export interface HttpWorld extends ReplyWorld {
  gateway: Gateway;
  context: ServeContext;
}

export class ModernHttp {
  readonly #world: HttpWorld;
  /** By the name of a tool, until a list may have changed. */
  readonly #headers = new Map<string, ToolHeaders>();

  constructor(world: HttpWorld) {
    this.#world = world;
    world.context.host.onEvent(() => this.#headers.clear(), ["tools_changed", "server_state"]);
  }

  /** @throws HttpError 503 */
  post(message: Request, exchange: Exchange, from: Downstream): Response | Promise<Response> {
    const { id, method, params } = message;
    if (!this.#world.gateway.has(method, from))
      return refuse(
        404,
        new RpcError({ code: methodNotFound, message: `Method not found: ${method}` }),
        id,
      );
    const accepts = exchange.request.headers.get("accept");
    const mayStream = accepts === null || /text\/event-stream|\*\/\*|text\/\*/i.test(accepts);
    if (method === "subscriptions/listen" && !mayStream)
      return refuse(
        406,
        new RpcError({ code: -32000, message: "this is answered by text/event-stream" }),
        id,
      );
    const asked = { message, exchange, from, mayStream };
    const { name, arguments: args } = params ?? {};
    if (method !== "tools/call" || typeof name !== "string" || !isObject(args))
      return this.#answer(asked);
    const tool = from.scope.server === undefined ? name : `${from.scope.server}/${name}`;
    const known = this.#headers.get(tool);
    if (known === undefined) return this.#answerUnknown(asked, tool, args);
    // Most tools have none.
    return known.of === undefined ? this.#answer(asked) : this.#answerAs(known.of, asked, args);
  }

  // --- internal ---

  /** A call whose `Mcp-Param-*` headers have to repeat its arguments. */
  #answerAs(of: ArgumentHeaders, asked: Asked, args: JsonObject): Response | Promise<Response> {
    const { message, exchange } = asked;
    const fault = headerFault(of(args), exchange.request);
    if (fault === undefined) return this.#answer(asked);
    return refuse(400, new RpcError({ code: headerMismatch, message: fault }), message.id);
  }

  async #answerUnknown(asked: Asked, tool: string, args: JsonObject): Promise<Response> {
    const { of } = (await this.#headersOf(tool, asked.exchange.request.signal)) ?? {};
    return await (of === undefined ? this.#answer(asked) : this.#answerAs(of, asked, args));
  }

  #answer({ message, exchange, from, mayStream }: Asked): Promise<Response> {
    const reply = new HttpReply({ id: message.id, exchange, mayStream }, this.#world);
    const question = new ModernQuestion(message, from, { reply, exchange });
    if (question.isStream) reply.open();
    void question.answer(this.#world.gateway);
    return reply.response;
  }

  async #headersOf(tool: string, signal: AbortSignal): Promise<ToolHeaders | undefined> {
    try {
      const { inputSchema } = await this.#world.context.host.resolve(tool, { signal });
      const known = { of: argumentHeaders(inputSchema) };
      if (this.#headers.size < headersMax) this.#headers.set(tool, known);
      return known;
    } catch {
      // What is wrong with the tool is told by its call.
      return undefined;
    }
  }
}

// --- internal ---

interface Asked {
  message: Request;
  exchange: Exchange;
  from: Downstream;
  /** The client takes a stream. */
  mayStream: boolean;
}

interface ToolHeaders {
  of: ArgumentHeaders | undefined;
}

/** One request, on the stream of its own; who leaves has cancelled it. */
class ModernQuestion implements Question, Leaver {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly from: Downstream;
  readonly #exchange: Exchange;
  readonly #reply: HttpReply;
  #signal: AbortSignal | undefined;
  #work: Cancellable | undefined;

  constructor(
    { id, method, params = {} }: Request,
    from: Downstream,
    { reply, exchange }: { reply: HttpReply; exchange: Exchange },
  ) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.from = from;
    this.#exchange = exchange;
    this.#reply = reply;
  }

  /** It is answered by a stream that lasts. */
  get isStream(): boolean {
    return this.method === "subscriptions/listen";
  }

  /** A stream ends with who may have it; what is answered once is answered. */
  get signal(): AbortSignal {
    return (this.#signal ??= this.isStream ? this.#exchange.left : this.#exchange.request.signal);
  }

  get notify(): Notify {
    return (method, params) => void this.#reply.say(messageText({ method, params }));
  }

  onCancel(work: Cancellable): void {
    this.#work = work;
    this.#exchange.onLeave(this);
  }

  left(): void {
    this.#work?.cancel();
  }

  /** Never rejects. */
  async answer(gateway: Gateway): Promise<void> {
    const { id } = this;
    try {
      this.#reply.finish(answerText(id, await gateway.answer(this)));
    } catch (error) {
      const fault = gateway.faultOf(error, this);
      this.#reply.finish(errorText(id, fault), fault.code === missingCapability);
    } finally {
      if (this.#work !== undefined) this.#exchange.onLeave(undefined);
    }
  }
}

/** Why the headers of a call do not say what they have to. */
function headerFault(
  wanted: Record<string, string> | undefined,
  { headers }: Pick<globalThis.Request, "headers">,
): string | undefined {
  for (const [header, value] of Object.entries(wanted ?? {})) {
    const given = headers.get(header);
    if (given === null) return `${header} is missing`;
    const decoded = decodeHeaderValue(given);
    if (decoded === undefined) return `${header} is not valid base64`;
    const expected = decodeHeaderValue(value);
    const isSame =
      decoded === expected || (isNumber(decoded) && Number(decoded) === Number(expected));
    if (!isSame) return `${header} and the body say different things`;
  }
  return undefined;
}

/** Tools that are remembered. */
const headersMax = 20_000;

function isNumber(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}
