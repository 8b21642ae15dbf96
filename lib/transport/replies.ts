/**
 * Gives each answer to the request that it is for, and to no other. What fits nothing is said at once: a late or repeated
 * answer as a debug entry, one under an id that was never sent as a warning, and the request that surely waits for
 * it then waits no longer than `strayMs` (protocol.md 1.1).
 */
import { shorten } from "../base/clip.ts";
import { isObject, wholeJson } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import type { ErrorObject, RequestId, Response } from "../protocol/jsonrpc.ts";
import { emptyError, oversizeError } from "./peer-errors.ts";
import type { PeerRequest } from "./peer-request.ts";
import type { PendingTable } from "./pending.ts";
import type { Failed, Oversize } from "./transport.ts";

export interface RepliesOptions {
  /** The far side's configured name. */
  name: string;
  log: Log;
  pending: PendingTable;
  /** The highest id that was sent so far. */
  lastId: () => number;
  /** What a request gets once its answer went to somebody it was not for. @default 2000 */
  strayMs?: number;
}

/** The id that a far side means which sends numbers back as strings: canonical decimals only. */
export function numericId(id: unknown): number | undefined {
  if (typeof id === "number") return id;
  return typeof id === "string" && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

export class Replies {
  readonly #options: RepliesOptions;
  readonly #pending: PendingTable;
  /** Notifications that may still be answered by mistake: those after which no later request was answered. */
  #excuses = 0;
  #notifiedAt = 0;
  #warnings = 0;
  /** Some answer came under the right id. */
  #hasAnswered = false;

  constructor(options: RepliesOptions) {
    this.#options = options;
    this.#pending = options.pending;
  }

  answer(response: Response, text: string): void {
    const { id } = response;
    if (id === null) return this.#stray(response);
    const entry = this.#take(id);
    if (entry !== undefined) return this.#deliver(entry, response, text);
    const number = numericId(id);
    const known = number !== undefined && Number.isInteger(number) && number >= 1;
    if (!known || number > this.#options.lastId()) return this.#stray(response);
    this.#say("debug", `a late or repeated answer to request ${number} was dropped`);
  }

  oversize(info: Oversize["oversize"]): void {
    const text = info.reason ?? `has ${info.bytes} bytes, over the limit of ${info.bytesMax}`;
    const entry =
      info.call === true
        ? undefined
        : info.id === undefined
          ? this.#takeOnly()
          : this.#take(info.id);
    if (entry === undefined) this.#warn(`a message of its was dropped: it ${text}`);
    else entry.failed(oversizeError(this.#options.name, entry, info));
  }

  failed({ id, error }: Failed["failed"]): void {
    const entry = this.#take(id);
    if (entry === undefined) this.#say("debug", `nobody waits for what failed: ${error.message}`);
    else entry.failed(error);
  }

  /** A notification was sent: a faulty far side may answer it, under no id or a made-up one. */
  notified(): void {
    this.#excuses++;
    this.#notifiedAt = this.#options.lastId();
  }

  // --- internal ---

  #say(level: "debug" | "warn", text: string): void {
    const { log, name } = this.#options;
    log({ level, server: name, text });
  }

  #warn(text: string): void {
    this.#say(this.#warnings++ < warningsMax ? "warn" : "debug", text);
  }

  #deliver(entry: PeerRequest, response: Response, text: string): void {
    const { result, error } = response;
    if (error !== undefined) entry.failed(new RpcError(wholeError(error, text)));
    else if (result === undefined) entry.failed(emptyError(this.#options.name, entry));
    else {
      try {
        entry.answered(response, text);
      } catch (fault) {
        // It is that of this request alone.
        entry.failed(fault as Error);
      }
    }
  }

  #remove(id: number): PeerRequest | undefined {
    const entry = this.#pending.take(id);
    if (entry !== undefined && entry.id > this.#notifiedAt && !isPing(entry)) this.#excuses = 0;
    return entry;
  }

  #take(id: RequestId): PeerRequest | undefined {
    const number = numericId(id);
    const entry = number === undefined ? undefined : this.#remove(number);
    if (entry === undefined) return undefined;
    if (typeof id === "string")
      this.#say("debug", `it answered request ${id} with the id as a string`);
    this.#hasAnswered = true;
    return entry;
  }

  #takeOnly(): PeerRequest | undefined {
    const [only, ...others] = this.#pending.waiting();
    return only === undefined || others.length > 0 ? undefined : this.#remove(only.id);
  }

  #stray({ id, error }: Response): void {
    if (error !== undefined) return this.#unattributed(id, error);
    this.#warn(`it answered under id ${show(id)}, which was never sent`);
    this.#hurry(id);
  }

  /** An error under no id or a made-up one. */
  #unattributed(id: RequestId | null, error: ErrorObject): void {
    const under = id === null ? "without an id" : `under id ${show(id)}, which was never sent`;
    const text = `an error ${under}: ${error.message} (${error.code})`;
    // Answers to notifications come so; only what could not be parsed at all is surely a request.
    if (this.#excuses > 0 && error.code !== parseError) {
      this.#excuses--;
      return this.#say("debug", `${text}: taken as an answer to a notification`);
    }
    this.#warn(`it sent ${text}`);
    const only = this.#takeOnly();
    if (only !== undefined) only.failed(new RpcError(error));
    else if (id !== null) this.#hurry(id);
  }

  #hurry(id: RequestId | null): void {
    const waiting = this.#pending.waiting();
    // Among several, none can be told from the others; but of a link that never answered right, nothing is to be hoped.
    if (waiting.length > 1 && this.#hasAnswered) return;
    for (const entry of waiting) {
      entry.stray = show(id);
      this.#pending.hurry(entry, this.#options.strayMs ?? 2000);
    }
  }
}

// --- internal ---

const warningsMax = 5;
const parseError = -32700;

/** With every digit of its data. */
function wholeError(error: ErrorObject, text: string): ErrorObject {
  if (error.data === undefined) return error;
  const whole = wholeJson(text);
  const data = isObject(whole) && isObject(whole.error) ? whole.error.data : undefined;
  return data === undefined ? error : { ...error, data };
}

/** Answered between everything else, whatever the era calls it: that says nothing of what came before. */
function isPing({ method }: PeerRequest): boolean {
  return method === "ping" || method === "server/discover";
}

/** An id for a message, clipped. */
function show(id: RequestId | null): string {
  return shorten(JSON.stringify(id), 80);
}
