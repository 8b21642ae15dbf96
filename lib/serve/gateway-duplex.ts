/**
 * The gateway for one client on one link in both directions (stdio, WebSocket, HTTP+SSE): messages in, messages out. Both
 * eras may be spoken on it, each message by what it says of itself; a probe decides nothing (protocol.md 2.1).
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { isRequest, isRequestId, isResponse, RpcError } from "../protocol/jsonrpc.ts";
import type { Request, RequestId } from "../protocol/jsonrpc.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import { readMessage } from "../protocol/read.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import { eraOfMessage } from "./gateway-era.ts";
import { toRpcError } from "./gateway-errors.ts";
import { negotiated } from "./gateway-greet.ts";
import { hear } from "./gateway-guests.ts";
import { logLevelDefault } from "./gateway-logs.ts";
import { answerText, errorText, messageText } from "./gateway-messages.ts";
import type { Questions } from "./gateway-questions.ts";
import { Running, Underway } from "./gateway-running.ts";
import type { ReplyTo } from "./gateway-running.ts";
import type { Aside, Downstream, Gateway, Guest, Legacy, Scope } from "./gateway-types.ts";
import { readJson } from "./read-json.ts";
import { Running as Answers } from "./running.ts";

export interface DuplexOptions {
  gateway: Gateway;
  scope: Scope;
  /** Sends one message; never throws. `isAside`: it answers nothing, and may be dropped where the client is slow. */
  send: (text: string, isAside: boolean) => void;
}

export class Duplex implements Disposable {
  readonly #options: DuplexOptions;
  /** To every request. */
  readonly #reply: ReplyTo;
  readonly #running = new Running();
  #following: Disposable | undefined;
  #legacy: LegacyPeer | undefined;
  /** While that client is taken in. */
  #admitting: Promise<Disposable> | undefined;
  #isOver = false;
  readonly #answers = new Answers();

  constructor(options: DuplexOptions) {
    this.#options = options;
    const { send } = options;
    this.#reply = {
      say(text, isNeeded = false) {
        send(text, !isNeeded);
        return true;
      },
      finish: (text) => {
        if (text !== undefined) send(text, false);
        this.#answers.end();
      },
    };
  }

  /** Takes the text of one message, or of a batch. False: it is no JSON, and was answered as that. */
  receive(text: string): boolean {
    let value: Json;
    try {
      value = readJson(text);
    } catch {
      this.refuse(null, -32700, "Parse error");
      return false;
    }
    this.take(value);
    return true;
  }

  /** Takes one message, or a batch. */
  take(value: Json): void {
    if (!Array.isArray(value)) return this.#take(value);
    if (value.length === 0 || value.length > batchMax)
      return this.refuse(null, -32600, "an empty batch, or one that is too long");
    for (const one of value) this.#take(one);
  }

  refuse(id: RequestId | null, code: number, message: string): void {
    this.#options.send(errorText(id, new RpcError({ code, message })), false);
  }

  /** Resolves as soon as no request is under way. */
  idle(): Promise<void> {
    return this.#answers.none();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#running.end();
    this.#following?.[Symbol.dispose]();
  }

  // --- internal ---

  #take(value: Json): void {
    const given = isObject(value) ? value.id : undefined;
    const id = isRequestId(given) ? given : null;
    // A request whose id is null would look like a notification.
    const isNamed = !(isObject(value) && value.id === null && value.method !== undefined);
    const message = isNamed ? readMessage(value).message : undefined;
    if (message === undefined) return this.refuse(id, -32600, "this is no JSON-RPC message");
    if (isResponse(message)) return this.#legacy?.questions?.answered(message);
    if (!isRequest(message)) {
      this.#afterAdmission((client) => hear(client, message));
      return this.#running.notified(message);
    }
    const verdict = eraOfMessage(message, this.#options.scope);
    if (verdict.era === "refused")
      return this.#options.send(errorText(message.id, verdict.error), false);
    if (verdict.era === "modern") return this.#answer(message, { ...verdict, link: this });
    if (message.method === "initialize") return this.#track(this.#initialize(message));
    this.#afterAdmission((client) => {
      if (client !== undefined) {
        hear(client, message);
        this.#answer(message, client);
      } else if (message.method === "ping")
        this.#answer(message, new LegacyPeer(this.#options, negotiated({})));
      else this.refuse(message.id, -32600, "initialize comes first, or _meta names a revision");
    });
  }

  /** At once, but for what a client says before it is taken in. */
  #afterAdmission(take: (client: LegacyPeer | undefined) => void): void {
    const admitting = this.#admitting;
    if (admitting === undefined) return take(this.#legacy);
    this.#track(admitting.catch(() => {}).then(() => take(this.#legacy)));
  }

  #track(answer: Promise<void>): void {
    this.#answers.begin();
    void answer.finally(() => this.#answers.end());
  }

  async #initialize({ id, params = {} }: Request): Promise<void> {
    const { gateway, send } = this.#options;
    const peer = new LegacyPeer(this.#options, negotiated(params));
    // Asked again, it begins again.
    this.#following?.[Symbol.dispose]();
    this.#following = undefined;
    this.#legacy = peer;
    try {
      const following = await (this.#admitting = gateway.admit(peer, params));
      if (this.#isOver || this.#legacy !== peer) {
        following[Symbol.dispose]();
        return this.#isOver ? undefined : this.refuse(id, -32600, "initialize came once more");
      }
      this.#following = following;
      this.#admitting = undefined;
      send(answerText(id, await gateway.initialize(peer)), false);
    } catch (error) {
      // Without its servers it is not served.
      if (this.#legacy === peer && this.#following === undefined) {
        this.#legacy = undefined;
        this.#admitting = undefined;
      }
      send(errorText(id, toRpcError(error, peer)), false);
    }
  }

  #answer(request: Request, from: Downstream): void {
    const underway = new Underway(request, from, this.#reply);
    this.#answers.begin();
    this.#running.answer(underway, this.#options.gateway);
  }
}

// --- internal ---

const batchMax = 100;

/** The legacy client of a link. */
class LegacyPeer implements Legacy {
  readonly scope: Scope;
  readonly knows: Knowledge;
  readonly aside: Aside;
  guest: Guest | undefined;
  questions: Questions | undefined;
  logLevel: McpLogLevel | undefined = logLevelDefault;

  constructor({ scope, send }: DuplexOptions, knows: Knowledge) {
    this.scope = scope;
    this.knows = knows;
    this.aside = {
      notify: (method: string, params: JsonObject) => send(messageText({ method, params }), true),
      ask(text) {
        send(text, false);
        return true;
      },
      subscriptions: new Map(),
      tasks: new Set(),
    };
  }
}
