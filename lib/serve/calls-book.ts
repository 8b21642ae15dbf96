/**
 * The calls of this process, running and past, each for its owner alone. Every face calls through it. It keeps them in
 * memory within a bound of count and bytes, the oldest that ended go first, and it decides nothing about them.
 */
import { Chain } from "../base/chain.ts";
import { HostError } from "../base/errors.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import { type CallRecord, opened } from "./call-record.ts";
import { BegunCall, type BookedRequest } from "./calls-begun.ts";

export interface CallBookOptions {
  host: Pick<OpenedHost, "ask" | "cancel">;
  /** The clock in milliseconds since the epoch. */
  now: () => number;
  /** Ends every call: the time that running requests have is over. */
  ending: AbortSignal;
  /** How many calls that ended are kept. @default 1000 */
  pastMax?: number;
  /** What they may weigh together. @default 4 MiB */
  pastBytesMax?: number;
}

export class CallBook {
  readonly #options: CallBookOptions;
  readonly #running = new Chain<BegunCall>();
  /**
   * In the order of their ends, round and round: the nth at `n % pastMax`. They are looked for so seldom that nothing is
   * kept for it; what they weigh lies beside them, for the oldest one itself is far away by the time that it has to go.
   */
  readonly #past: (CallRecord | undefined)[] = [];
  readonly #weights: number[] = [];
  readonly #pastMax: number;
  readonly #pastBytesMax: number;
  #oldest = 0;
  #next = 0;
  #pastBytes = 0;

  constructor(options: CallBookOptions) {
    this.#options = options;
    const { ending, pastMax = 1000, pastBytesMax = 4_194_304 } = options;
    this.#pastMax = pastMax;
    this.#pastBytesMax = pastBytesMax;
    const endAll = () => {
      for (const call of this.#running.all()) call.cancel(ending.reason as HostError);
    };
    ending.addEventListener("abort", endAll, { once: true });
  }

  /**
   * A call, written down. One whose name means nothing leaves no trace.
   * @param request the book's from now on: it may give it an id, and listens to it
   * @param host that makes it. @default the one of the book
   */
  begin(request: BookedRequest, host: CallBookOptions["host"] = this.#options.host): BegunCall {
    const { id = crypto.randomUUID() } = request;
    const record = opened(id, request, this.#options.now());
    const call = new BegunCall(record, request, host, this.#ended);
    this.#running.add(call);
    call.begin();
    return call;
  }

  /** All calls of an owner, the newest first. */
  list(owner: string): CallRecord[] {
    const from = this.#oldest % this.#pastMax;
    const past = [...this.#past.slice(from), ...this.#past.slice(0, from)];
    const all = [...past, ...this.#running.all().map(({ record }) => record)];
    const own = all.filter((record) => record?.owner === owner) as CallRecord[];
    return own.toReversed().toSorted((a, b) => b.startedAt - a.startedAt);
  }

  /** Undefined for one that is unknown, forgotten or another's: nobody can tell which. */
  get(owner: string, id: string): CallRecord | undefined {
    return this.list(owner).find((record) => record.id === id);
  }

  /** Cancels a call that runs. False where it has ended, or is not there for this owner. */
  cancel(owner: string, id: string): boolean {
    const reason = new HostError("cancelled", "the call was cancelled by its owner");
    for (const call of this.#running.all())
      if (call.record.id === id && call.record.owner === owner) return call.cancel(reason);
    return false;
  }

  // --- internal ---

  readonly #ended = (call: BegunCall): void => {
    const { record } = call;
    this.#running.delete(call);
    // What nobody knew by its name did not reach anybody.
    if (record.server !== undefined || record.status === "denied") this.#keep(record);
  };

  #keep(record: CallRecord): void {
    if (this.#next - this.#oldest === this.#pastMax) this.#forgetOldest();
    const at = this.#next++ % this.#pastMax;
    this.#past[at] = record;
    this.#weights[at] = record.bytes;
    this.#pastBytes += record.bytes;
    while (this.#pastBytes > this.#pastBytesMax) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const at = this.#oldest++ % this.#pastMax;
    this.#past[at] = undefined;
    this.#pastBytes -= this.#weights[at]!;
  }
}
