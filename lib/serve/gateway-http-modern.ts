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
import { headerMismatch } from "../protocol/meta.ts";
import { ModernQuestion } from "./gateway-http-question.ts";
import type { HttpWorld } from "./gateway-http-question.ts";
import { refuse } from "./gateway-refuse.ts";
import type { Downstream } from "./gateway-types.ts";
import type { Exchange } from "./types.ts";

export class ModernHttp {
  readonly #world: HttpWorld;
  /** By the name of a tool, until a list may have changed. */
  readonly #headers = new Map<string, ToolHeaders>();

  constructor(world: HttpWorld) {
    this.#world = world;
    world.context.host.onEvent(() => this.#headers.clear(), ["tools_changed", "server_state"]);
  }

  /** Undefined: the answer comes by itself. @throws HttpError 503 */
  post(message: Request, exchange: Exchange, from: Downstream): Response | undefined {
    const { id, method, params } = message;
    if (!this.#world.gateway.has(method, from))
      return refuse(
        404,
        new RpcError({ code: methodNotFound, message: `Method not found: ${method}` }),
        id,
      );
    const question = new ModernQuestion(message, exchange, from, this.#world);
    if (question.isStream && !question.mayStream)
      return refuse(
        406,
        new RpcError({ code: -32000, message: "this is answered by text/event-stream" }),
        id,
      );
    const { name, arguments: args } = params ?? {};
    if (method !== "tools/call" || typeof name !== "string" || !isObject(args))
      return void question.begin();
    const tool = from.scope.server === undefined ? name : `${from.scope.server}/${name}`;
    const known = this.#headers.get(tool);
    if (known === undefined) return void this.#beginUnknown(question, tool, args);
    return begin(question, known, args);
  }

  // --- internal ---

  async #beginUnknown(question: ModernQuestion, tool: string, args: JsonObject): Promise<void> {
    const { exchange } = question;
    try {
      const known = (await this.#headersOf(tool, exchange.request.signal)) ?? { of: undefined };
      const refusal = begin(question, known, args);
      if (refusal !== undefined) exchange.respond(refusal);
    } catch (error) {
      exchange.fail(error);
    }
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

interface ToolHeaders {
  of: ArgumentHeaders | undefined;
}

/** Begins a call whose `Mcp-Param-*` headers have to repeat its arguments: most tools have none. */
function begin(
  question: ModernQuestion,
  { of }: ToolHeaders,
  args: JsonObject,
): Response | undefined {
  const fault = of && headerFault(of(args), question.exchange.request);
  if (fault === undefined) return void question.begin();
  return refuse(400, new RpcError({ code: headerMismatch, message: fault }), question.id);
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
