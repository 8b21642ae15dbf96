/** A call of the book while it runs: it hears how the call goes, and gives it up where nobody waits for it any more. */
import type { Linked } from "../base/chain.ts";
import { HostError } from "../base/errors.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import type { CallListener, OpenedHost, OwnedCallRequest } from "../host/opened-types.ts";
import { type CallRecord, closed } from "./call-record.ts";

/** What is asked of the book. */
export interface BookedRequest extends OwnedCallRequest {
  /** Its result can be looked at later. @default false */
  keepsResult?: boolean;
}

export class BegunCall implements CallListener, Linked<BegunCall> {
  before: BegunCall | undefined;
  after: BegunCall | undefined;
  readonly record: CallRecord;
  readonly #host: Pick<OpenedHost, "ask" | "cancel">;
  readonly #request: BookedRequest;
  readonly #listener: CallListener | undefined;
  readonly #onOver: (call: BegunCall) => void;
  #ended: Outcome | undefined;
  #waiting: PromiseWithResolvers<Outcome> | undefined;

  /** @param onOver told before whoever listens to it, or waits for its outcome */
  constructor(
    record: CallRecord,
    request: BookedRequest,
    host: Pick<OpenedHost, "ask" | "cancel">,
    onOver: (call: BegunCall) => void,
  ) {
    this.record = record;
    this.#host = host;
    this.#request = request;
    this.#listener = request.listener;
    this.#onOver = onOver;
    request.id = record.id;
    request.listener = this;
  }

  /** It may be over by the time that this returns. */
  begin(): void {
    this.#host.ask(this.#request);
  }

  /** What became of it; never rejects. Few wait for that. */
  get outcome(): Promise<Outcome> {
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    return (this.#waiting ??= Promise.withResolvers()).promise;
  }

  onCall(call: Call): void {
    this.#means(call, "running");
    this.#listener?.onCall?.(call);
  }

  onWaiting(call: Call): void {
    this.#means(call, "waiting");
    this.#listener?.onWaiting?.(call);
  }

  onSent(): void {
    this.#listener?.onSent?.();
  }

  onEnd(outcome: Outcome): void {
    this.#ended = outcome;
    closed(this.record, outcome, this.#request.keepsResult === true);
    this.#onOver(this);
    this.#waiting?.resolve(outcome);
    this.#listener?.onEnd?.(outcome);
  }

  /** Gives it up, where it still runs. False where it does not. */
  cancel(reason: HostError): boolean {
    return this.#host.cancel(this.record.id, reason);
  }

  /** Its client has left. */
  left(): void {
    this.cancel(new HostError("cancelled", "the client has left"));
  }

  // --- internal ---

  #means({ server, tool }: Call, status: "running" | "waiting"): void {
    const { record } = this;
    record.server = server;
    record.tool = tool;
    record.status = status;
  }
}
