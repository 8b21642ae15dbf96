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
import type { Request } from "../protocol/jsonrpc.ts";
import { headerMismatch, missingCapability } from "../protocol/meta.ts";
import { toRpcError } from "./gateway-errors.ts";
import { answerText, errorText, messageText } from "./gateway-messages.ts";
import { refuse } from "./gateway-refuse.ts";
import { replyTo } from "./gateway-reply.ts";
import type { Downstream, Gateway, Question } from "./gateway-types.ts";
import type { Waiting } from "./gateway-waiting.ts";
import type { Exchange, ServeContext } from "./types.ts";

export interface HttpWorld {
  gateway: Gateway;
  context: ServeContext;
  /** Answers of both eras. */
  waiting: Waiting;
}

export class ModernHttp {
  readonly #world: HttpWorld;
  /** By the name of a tool, until a list may have changed. */
  readonly #headers = new Map<string, { of: ArgumentHeaders | undefined }>();

  constructor(world: HttpWorld) {
    this.#world = world;
    world.context.host.onEvent(() => this.#headers.clear(), ["tools_changed", "server_state"]);
  }

  async post(message: Request, exchange: Exchange, from: Downstream): Promise<Response> {
    const { gateway, context, waiting } = this.#world;
    const { id, method, params = {} } = message;
    if (!gateway.has(method, from))
      return refuse(
        404,
        new RpcError({ code: methodNotFound, message: `Method not found: ${method}` }),
        id,
      );
    const accepts = exchange.request.headers.get("accept");
    const mayStream = accepts === null || /text\/event-stream|\*\/\*|text\/\*/i.test(accepts);
    const isStream = method === "subscriptions/listen";
    if (isStream && !mayStream)
      return refuse(
        406,
        new RpcError({ code: -32000, message: "this is answered by text/event-stream" }),
        id,
      );
    const fault =
      method === "tools/call" ? await this.#headerFault(params, exchange, from) : undefined;
    if (fault !== undefined)
      return refuse(400, new RpcError({ code: headerMismatch, message: fault }), id);
    const work = async (say: (text: string) => void) => {
      let left: AbortSignal | undefined;
      const question: Question = {
        id,
        method,
        params,
        from,
        // A stream ends with who may have it; what is answered once is answered.
        get signal() {
          return (left ??= isStream ? exchange.left : exchange.request.signal);
        },
        onCancel: (action) => exchange.onLeave({ left: action }),
        notify: (name, given) => void say(messageText({ method: name, params: given })),
      };
      try {
        return { text: answerText(id, await gateway.answer(question)), status: 200 };
      } catch (error) {
        const told = toRpcError(error, from);
        return { text: errorText(id, told), status: told.code === missingCapability ? 400 : 200 };
      } finally {
        exchange.onLeave(undefined);
      }
    };
    return await replyTo(work, {
      id,
      exchange,
      streams: context.streams,
      waiting,
      mayStream,
      isStream,
    });
  }

  // --- internal ---

  /** Why the `Mcp-Param-*` headers of a call do not repeat its arguments. */
  async #headerFault(
    { name, arguments: args }: JsonObject,
    { request }: Exchange,
    { scope }: Downstream,
  ): Promise<string | undefined> {
    if (typeof name !== "string" || !isObject(args)) return undefined;
    const tool = scope.server === undefined ? name : `${scope.server}/${name}`;
    const known = this.#headers.get(tool) ?? (await this.#headersOf(tool, request.signal));
    const wanted = known?.of?.(args);
    if (wanted === undefined) return undefined;
    for (const [header, value] of Object.entries(wanted)) {
      const given = request.headers.get(header);
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

  async #headersOf(
    tool: string,
    signal: AbortSignal,
  ): Promise<{ of: ArgumentHeaders | undefined } | undefined> {
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

/** Tools that are remembered. */
const headersMax = 20_000;

function isNumber(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}
