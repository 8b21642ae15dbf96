/** The calls that run, each with what gives it up: whoever asked, by the call's id or a signal, and the end of the host. */
import { Cancel } from "../base/cancel.ts";
import { Chain } from "../base/chain.ts";
import type { Linked } from "../base/chain.ts";
import type { OwnedCallRequest } from "./opened-types.ts";

/** A call that runs: what gives it up, since when it runs, and whether its server was handed it. */
export class RunningCall extends Cancel implements EventListenerObject, Linked<RunningCall> {
  before: RunningCall | undefined;
  after: RunningCall | undefined;
  readonly id: string;
  readonly request: OwnedCallRequest;
  /** On the clock of `performance.now`. */
  readonly startedAt: number = performance.now();
  /** When it was handed over whole, on that clock; 0 as long as it was not. */
  sentAt = 0;

  constructor(request: OwnedCallRequest) {
    super();
    this.id = request.id ?? crypto.randomUUID();
    this.request = request;
  }

  /** It was handed over whole. */
  get isSent(): boolean {
    return this.sentAt > 0;
  }

  /** How long it has been running. */
  get durationMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Its signal has fired. */
  handleEvent(): void {
    this.cancel(this.request.signal?.reason);
  }
}

export class RunningCalls {
  readonly #end: AbortSignal;
  readonly #calls = new Chain<RunningCall>();

  /** @param end ends every call */
  constructor(end: AbortSignal) {
    this.#end = end;
    const endAll = () => {
      for (const call of this.#calls.all()) call.cancel(end.reason);
    };
    end.addEventListener("abort", endAll, { once: true });
  }

  /** It runs, until `done`. */
  begin(request: OwnedCallRequest): RunningCall {
    const call = new RunningCall(request);
    this.#calls.add(call);
    const { signal } = request;
    if (signal?.aborted) call.handleEvent();
    else signal?.addEventListener("abort", call);
    if (this.#end.aborted) call.cancel(this.#end.reason);
    return call;
  }

  done(call: RunningCall): void {
    call.request.signal?.removeEventListener("abort", call);
    this.#calls.delete(call);
  }

  /** False where no such call runs. */
  cancel(id: string, reason: unknown): boolean {
    let call = this.#calls.first;
    while (call !== undefined && call.id !== id) call = call.after;
    call?.cancel(reason);
    return call !== undefined;
  }
}
