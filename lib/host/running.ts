/** The calls that run, each until it is given up: by whoever asked, by its id or a signal, or by the end of the host. */
import { Chain } from "../base/chain.ts";
import type { HostCall } from "./host-call.ts";

export class RunningCalls {
  readonly #end: AbortSignal;
  readonly #calls = new Chain<HostCall>();

  /** @param end ends every call */
  constructor(end: AbortSignal) {
    this.#end = end;
    const endAll = () => {
      for (const call of this.#calls.all()) call.cancel(end.reason);
    };
    end.addEventListener("abort", endAll, { once: true });
  }

  /** It runs, until `done`. */
  begin(call: HostCall): void {
    this.#calls.add(call);
    const { signal } = call.request;
    if (signal?.aborted) call.handleEvent();
    else signal?.addEventListener("abort", call);
    if (this.#end.aborted) call.cancel(this.#end.reason);
  }

  done(call: HostCall): void {
    call.request.signal?.removeEventListener("abort", call);
    this.#calls.delete(call);
  }

  /** False where no such call runs. */
  cancel(id: string, reason: unknown): boolean {
    let call = this.#calls.first;
    while (call?.isCalled(id) === false) call = call.after;
    call?.cancel(reason);
    return call !== undefined;
  }
}
