/**
 * The guarded writer of a child's stdin: whole lines, in order, each settled when the pipe took it. All the
 * ways in which a dead or deaf child shows up become one `HostError`; nothing here is ever an unhandled rejection.
 */
import type { HostError } from "../base/errors.ts";
import type { Stdin } from "./run.ts";
import { TurnWriter } from "./turn-writer.ts";

export class StdinWriter {
  readonly #sink: Stdin;
  readonly #failure: () => Promise<HostError>;
  readonly #turn = new TurnWriter((lines) => this.#put(lines));
  #closed = false;

  /** @param failure makes the `server_exit` error of a write that failed */
  constructor(sink: Stdin, failure: () => Promise<HostError>) {
    this.#sink = sink;
    this.#failure = failure;
  }

  /**
   * Writes that follow in one turn of the event loop go out together. Undefined where the pipe took the line at once.
   * @throws HostError `server_exit`
   */
  write(line: string): Promise<void> | undefined {
    return this.#turn.write(line);
  }

  /** The child has said something. */
  heard(): void {
    this.#turn.heard();
  }

  /** Hands on what was written in this turn, and waits for nothing. */
  flush(): void {
    this.#turn.flush();
  }

  /** Closes stdin behind what was written. Idempotent. */
  end(): void {
    this.#turn.flush();
    if (this.#closed) return;
    this.#closed = true;
    try {
      const ended: unknown = this.#sink.end();
      if (ended instanceof Promise) ended.catch(ignore);
    } catch {
      // It was closed from the other side.
    }
  }

  /** A pending write keeps the event loop alive no more. */
  unref(): void {
    this.#sink.unref();
  }

  #put(line: string): Promise<void> | undefined {
    if (this.#closed) return this.#fail();
    let written: unknown;
    let flushed: unknown;
    try {
      written = this.#sink.write(line.endsWith("\n") ? line : `${line}\n`);
      if (written instanceof Promise) written.catch(ignore);
      flushed = this.#sink.flush();
    } catch {
      return this.#fail();
    }
    if (written instanceof Promise || flushed instanceof Promise)
      return this.#settle(Promise.all([written, flushed]));
    // To a dead child, `write` answers with a boolean and throws the line away.
    return typeof written === "number" ? undefined : this.#fail();
  }

  async #fail(): Promise<never> {
    this.end();
    throw await this.#failure();
  }

  /** A child that dies rejects what is on its way, even while somebody else keeps the pipe. */
  async #settle(pending: Promise<unknown>): Promise<void> {
    try {
      await pending;
    } catch {
      await this.#fail();
    }
  }
}

// --- internal ---

function ignore(): void {}
