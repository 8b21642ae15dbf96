/** A call that has its turn at a server. */
import type { Caller, CallReply } from "../client/types.ts";
import type { Sending } from "./send-call.ts";
import type { CallOptions, ServerCall } from "./server-types.ts";

/** The turn is over when the call is answered or has failed. */
export class Turn implements Sending, Caller {
  readonly call: ServerCall;
  readonly options: CallOptions;
  readonly #over: () => void;

  constructor(call: ServerCall, options: CallOptions, over: () => void) {
    this.call = call;
    this.options = options;
    this.#over = over;
  }

  sent(): void {
    this.call.sent();
  }

  answered(reply: CallReply): void {
    this.#over();
    this.call.answered(reply);
  }

  failed(error: unknown): void {
    this.#over();
    this.call.failed(error);
  }
}
