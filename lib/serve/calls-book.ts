/**
 * The calls of this process, running and past, each for its owner alone. Every face calls through it. It keeps them in
 * memory within a bound of count and bytes, the oldest that ended go first, and it decides nothing about them.
 */
import { HostError } from "../base/errors.ts";
import type { Outcome } from "../hooks/call.ts";
import type { OpenedHost, OwnedCallRequest } from "../host/opened-types.ts";
import { closed } from "./call-record.ts";
import type { CallRecord } from "./call-record.ts";
import { weigh } from "./weigh.ts";

/** A call that was begun. */
export interface BegunCall {
  readonly id: string;
  /** Resolves when it begins to wait for somebody to approve it; most never do. */
  readonly waiting: Promise<void>;
  /** As `Host.call`: never rejects. */
  readonly outcome: Promise<Outcome>;
}

export interface CallBookOptions {
  host: Pick<OpenedHost, "call" | "cancel">;
  /** The clock in milliseconds since the epoch. */
  now: () => number;
  /** Ends every call: the time that running requests have is over. */
  ending: AbortSignal;
  /** How many calls that ended are kept. @default 1000 */
  pastMax?: number;
  /** What they may weigh together. @default 4 MiB */
  pastBytesMax?: number;
}

/** Results that are longer are not kept. */
const resultMax = 262_144;
/** Arguments that weigh more are not kept. */
const argumentBytesMax = 16_384;
/** What a record weighs beside its texts and arguments. */
const recordBytes = 300;
const compactAt = 1024;

export class CallBook {
  readonly #options: CallBookOptions;
  readonly #running = new Map<string, Running>();
  readonly #past = new Map<string, Past>();
  /** Their ids in order, from `#oldest` on: the head of a map that loses its head is slow to find. */
  readonly #order: string[] = [];
  #oldest = 0;
  #pastBytes = 0;

  constructor(options: CallBookOptions) {
    this.#options = options;
    const { ending } = options;
    const endAll = () => {
      for (const [id, { host }] of this.#running) host.cancel(id, ending.reason as HostError);
    };
    ending.addEventListener("abort", endAll, { once: true });
  }

  /**
   * A call, written down. One whose name means nothing leaves no trace.
   * @param host that makes it. @default the one of the book
   */
  begin(
    request: OwnedCallRequest & { keepsResult?: boolean },
    host: CallBookOptions["host"] = this.#options.host,
  ): BegunCall {
    const { id = crypto.randomUUID() } = request;
    const { now } = this.#options;
    const { tool: name, arguments: args = {}, owner = "default", actor = "user" } = request;
    const argumentBytes = weigh(args, argumentBytesMax);
    const isKept = argumentBytes <= argumentBytesMax;
    const record: CallRecord = {
      id,
      owner,
      actor,
      name,
      status: "running",
      startedAt: now(),
      arguments: isKept ? args : undefined,
    };
    this.#running.set(id, { record, host });
    const { onCall, onWaiting, keepsResult = false, ...asked } = request;
    const waiting = Promise.withResolvers<void>();
    const work = host.call({
      ...asked,
      id,
      onCall(call) {
        record.server = call.server;
        record.tool = call.tool;
        record.status = "running";
        onCall?.(call);
      },
      onWaiting(call) {
        record.server = call.server;
        record.tool = call.tool;
        record.status = "waiting";
        waiting.resolve();
        onWaiting?.(call);
      },
    });
    const outcome = work.then((ended) => {
      this.#running.delete(id);
      closed(record, ended);
      if (keepsResult && "raw" in ended && ended.raw.length <= resultMax) record.result = ended.raw;
      if (record.server !== undefined || ended.status === "denied")
        this.#keep(record, (isKept ? argumentBytes : 0) + (record.result?.length ?? 0));
      return ended;
    });
    return { id, waiting: waiting.promise, outcome };
  }

  /** All calls of an owner, the newest first. */
  list(owner: string): CallRecord[] {
    const all = [...this.#past.values(), ...this.#running.values()].map(({ record }) => record);
    const own = all.filter((record) => record.owner === owner).toReversed();
    return own.toSorted((a, b) => b.startedAt - a.startedAt);
  }

  /** Undefined for one that is unknown, forgotten or another's: nobody can tell which. */
  get(owner: string, id: string): CallRecord | undefined {
    const record = (this.#running.get(id) ?? this.#past.get(id))?.record;
    return record?.owner === owner ? record : undefined;
  }

  /** Cancels a call that runs. False where it has ended, or is not there for this owner. */
  cancel(owner: string, id: string): boolean {
    const running = this.#running.get(id);
    if (running?.record.owner !== owner) return false;
    const reason = new HostError("cancelled", "the call was cancelled by its owner");
    return running.host.cancel(id, reason);
  }

  /** Nobody waits for a call any more: it is given up, where it still runs. */
  leave(id: string): void {
    this.#running.get(id)?.host.cancel(id, new HostError("cancelled", "the client has left"));
  }

  // --- internal ---

  #keep(record: CallRecord, argumentBytes: number): void {
    const bytes = recordBytes + 2 * record.name.length + argumentBytes;
    this.#past.set(record.id, { record, bytes });
    this.#pastBytes += bytes;
    this.#order.push(record.id);
    const { pastMax = 1000, pastBytesMax = 4_194_304 } = this.#options;
    while (this.#past.size > pastMax || this.#pastBytes > pastBytesMax) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const id = this.#order[this.#oldest++] ?? "";
    this.#pastBytes -= this.#past.get(id)?.bytes ?? 0;
    this.#past.delete(id);
    if (this.#oldest < compactAt) return;
    this.#order.splice(0, this.#oldest);
    this.#oldest = 0;
  }
}

interface Running {
  record: CallRecord;
  host: CallBookOptions["host"];
}

interface Past {
  record: CallRecord;
  bytes: number;
}
