/** How one server is, told at each change. It changes nothing by itself. */
import type { HostError } from "../base/errors.ts";
import type { Era } from "../protocol/mcp.ts";
import type { ConnectionOptions } from "./connection-types.ts";
import type { ServerStatus } from "./types.ts";

export class Condition {
  readonly #server: string;
  readonly #emit: ConnectionOptions["emit"];
  #state: ServerStatus["state"] = "idle";
  #error: HostError | undefined;
  #era: Era | undefined;

  constructor(server: string, emit: ConnectionOptions["emit"]) {
    this.#server = server;
    this.#emit = emit;
  }

  get state(): ServerStatus["state"] {
    return this.#state;
  }

  /** Why it is not up, where that is known. */
  get error(): HostError | undefined {
    return this.#error;
  }

  /** What it spoke when it was connected last. */
  get era(): Era | undefined {
    return this.#era;
  }

  greeted(era: Era): void {
    this.#era = era;
    this.enter("ready");
  }

  /** It answered. */
  heard(era: Era): void {
    if (this.#state !== "ready") this.greeted(era);
  }

  /** It could not be reached, and may be by the next that is done: the same is told once. */
  missed(error: HostError): void {
    if (this.#state !== "failed" || this.#error?.message !== error.message)
      this.enter("failed", error);
  }

  enter(state: ServerStatus["state"], error?: HostError): void {
    this.#state = state;
    this.#error = error;
    const server = this.#server;
    this.#emit({ type: "server_state", server, state, ...(error && { error }) });
  }
}
