/** One request of ours on its way through a peer. */
import type { Cancel } from "../base/cancel.ts";
import type { Facts } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Numbered } from "../base/numbered.ts";
import type { Response } from "../protocol/jsonrpc.ts";
import type { Progress } from "../protocol/mcp.ts";

export interface PeerRequestOptions {
  signal?: AbortSignal;
  /** In place of `signal`, where many requests are made: one request at a time waits under it. */
  cancel?: Cancel;
  /** Idle time, renewed by progress. */
  timeoutMs: number;
  /** Hard cap. @default 10 × timeoutMs */
  timeoutMaxMs?: number;
  onProgress?: (progress: Progress) => void;
  /** Called once, when the request was handed over whole. */
  onSent?: () => void;
  /** Headers for this request alone; only HTTP has any. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Send notifications/cancelled when we give up. False for `initialize`. @default true */
  cancellable?: boolean;
}

/** What a request is about: its errors call it by this label, and carry these facts. */
export interface About {
  label: string;
  facts: Facts;
}

/** Where a request waits that can be cancelled. */
interface Waiting {
  aborted(request: PeerRequest): void;
}

/**
 * A request from the asking to its answer, which is told to itself: one object holds all that is known of it, since there is
 * one for every call. Times are on the clock of `performance.now()`.
 */
export abstract class PeerRequest implements Numbered<PeerRequest> {
  before: PeerRequest | undefined;
  after: PeerRequest | undefined;
  next: PeerRequest | undefined;
  readonly method: string;
  readonly options: Omit<PeerRequestOptions, "timeoutMs">;
  /** Idle time, renewed by progress. */
  readonly timeoutMs: number;
  /** Set when it is sent. */
  id = 0;
  capAt = 0;
  /** When it runs out unless something is heard of it. */
  idleAt = 0;
  /** The last progress value. */
  progress = Number.NEGATIVE_INFINITY;
  /** Whether it was handed to the link whole. */
  sent: "sending" | "sent" | "unsent" = "unsent";
  /** Settles once `sent` is known, where it is not yet; never rejects. */
  sending: Promise<void> | undefined;
  /** An id that nothing was sent under and that was answered while this request alone was waiting. */
  stray: string | undefined;
  /** How many messages had come in when it was begun. */
  heardBefore = 0;
  waitsIn: Waiting | undefined;

  constructor(method: string, options: PeerRequest["options"], timeoutMs: number) {
    this.method = method;
    this.options = options;
    this.timeoutMs = timeoutMs;
  }

  /** Undefined: it is about its method. */
  abstract readonly about: About | undefined;
  /** Its params carry its progress token, which is its id. */
  abstract readonly hasToken: boolean;
  /** Its params; called once, right before it is sent. */
  abstract params(id: number): JsonObject;
  /** Once: the link took it whole. */
  handedOver(): void {
    this.options.onSent?.();
  }

  /** It has a result. `text`: the whole message. */
  abstract answered(response: Response, text: string): void;
  abstract failed(error: Error): void;

  /** The hard cap in milliseconds, counted from its start. */
  get capMs(): number {
    return this.options.timeoutMaxMs ?? this.timeoutMs * 10;
  }

  /** By its `cancel`. */
  cancelled(): void {
    this.waitsIn?.aborted(this);
  }
}
