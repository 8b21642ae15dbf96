/**
 * Answers that a server lets us keep (protocol.md 1.11), for one client: so nothing is ever shared between authorization
 * contexts, whatever its `cacheScope`. Each method with its params, and so each page, is an entry with a clock of its own;
 * a notification that concerns it ends it at once. Nothing is fetched unless it is asked for.
 */
import { isHostError } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import { ttlOf } from "../protocol/modern.ts";
import type { McpClient, Reply, RequestOptions } from "./types.ts";

/** A client, or a cache before it. */
export interface Asked {
  readonly capabilities: McpClient["capabilities"];
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<KeptReply>;
  /** Forgets what is kept of a method. */
  forget?(method: string): void;
}

export interface KeptReply extends Reply {
  /** It is older than the server allows, in words for a person: it could not be fetched again. */
  warning?: string;
}

export interface AnswerCacheOptions {
  /** Milliseconds. @default performance.now */
  now?: () => number;
  /** @default 1000 */
  entriesMax?: number;
  /** Of all that is kept, in UTF-16 units; what is larger than a quarter of that is not kept. @default 33554432 */
  charsMax?: number;
}

/** Asks a client only for what is not kept. Disposing lets go of the client. */
export class AnswerCache implements Asked, Disposable {
  readonly capabilities: McpClient["capabilities"];
  readonly #client: McpClient;
  readonly #options: Required<AnswerCacheOptions>;
  readonly #entries = new Map<string, Entry>();
  readonly #listening: Disposable;
  #chars = 0;
  /** How many changes were told of: an answer that was under way during one is not kept. */
  #changes = 0;

  constructor(client: McpClient, options: AnswerCacheOptions = {}) {
    this.capabilities = client.capabilities;
    this.#client = client;
    const { now = () => performance.now(), entriesMax = 1000, charsMax = 33_554_432 } = options;
    this.#options = { now, entriesMax, charsMax };
    this.#listening = client.onNotification((method, params) => this.#heard(method, params));
  }

  /**
   * As the client's. Where the server cannot be asked, what was kept is served although it is old, with a `warning`.
   * @throws as the client's
   */
  async request(
    method: string,
    params: JsonObject,
    options: RequestOptions = {},
  ): Promise<KeptReply> {
    const key = JSON.stringify([method, params]);
    const kept = this.#entries.get(key);
    if (kept !== undefined && this.#options.now() < kept.freshUntil) return replyOf(kept);
    const changes = this.#changes;
    try {
      const reply = await this.#client.request(method, params, options);
      this.#drop(key);
      if (changes === this.#changes && !reply.asked) this.#keep(key, method, params, reply);
      return reply;
    } catch (error) {
      const current = this.#entries.get(key);
      if (current !== undefined && isOutage(error))
        return { ...replyOf(current), warning: oldText(method, error) };
      this.#drop(key);
      throw error;
    }
  }

  forget(method: string): void {
    for (const [key, entry] of this.#entries) if (entry.method === method) this.#drop(key);
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    this.#entries.clear();
  }

  // --- internal ---

  #keep(key: string, method: string, params: JsonObject, reply: Reply): void {
    const { now, entriesMax, charsMax } = this.#options;
    const keptMs = this.#keptMs(method, reply.result);
    if (keptMs <= 0) return;
    const text = reply.raw();
    if (text.length > charsMax / 4) return;
    const uri = typeof params.uri === "string" ? params.uri : undefined;
    this.#entries.set(key, { method, uri, text, freshUntil: now() + keptMs });
    this.#chars += text.length;
    // The oldest go.
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entriesMax && this.#chars <= charsMax) break;
      this.#drop(oldest);
    }
  }

  /** How long: as the server says; a legacy one says nothing, but tells of changes where it declares that. */
  #keptMs(method: string, result: JsonObject): number {
    if (!Object.hasOwn(changedBy, method)) return 0;
    if (this.#client.era === "modern") return ttlOf(result);
    const [feature = ""] = method.split("/", 1);
    const declared = this.capabilities[feature];
    const tells = isObject(declared) && declared.listChanged === true;
    return tells && method !== "resources/read" ? Infinity : 0;
  }

  #heard(notification: string, { uri }: JsonObject): void {
    if (!Object.values(changedBy).includes(notification)) return;
    this.#changes++;
    for (const [key, entry] of this.#entries) {
      if (changedBy[entry.method] !== notification) continue;
      // What is updated may be a part of what was read.
      const [whole, part] = [entry.uri ?? "", typeof uri === "string" ? uri : ""];
      if (part === "" || part.startsWith(whole)) this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#chars -= this.#entries.get(key)?.text.length ?? 0;
    this.#entries.delete(key);
  }
}

// --- internal ---

interface Entry {
  method: string;
  /** Of what was read. */
  uri: string | undefined;
  /** The exact text of the result. */
  text: string;
  freshUntil: number;
}

/** The methods whose results may be kept, each with the notification that ends that. */
const changedBy: Readonly<Record<string, string>> = {
  "prompts/list": "notifications/prompts/list_changed",
  "resources/list": "notifications/resources/list_changed",
  "resources/templates/list": "notifications/resources/list_changed",
  "resources/read": "notifications/resources/updated",
};

/** Parsed anew each time: whoever gets it may change it. */
function replyOf({ text }: Entry): KeptReply {
  return { result: parseJson(text) as JsonObject, raw: () => text };
}

/** The server could not answer, which says nothing of what was asked for. */
function isOutage(error: unknown): boolean {
  if (error instanceof RpcError) return error.code === internalError;
  return isHostError(error) && (error.code === "timeout" || error.code === "server_exit");
}

function oldText(method: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `the answer to ${method} is an older one that was kept: ${reason}`;
}
