/**
 * The guarded writer of a child's stdin: whole lines, in order, each promise settled when the pipe took its line. All
 * the ways in which a dead or deaf child shows up become one `HostError`; nothing here is ever an unhandled rejection.
 */
import type { HostError } from "../base/errors.ts";

export class StdinWriter {
  readonly #sink: Bun.FileSink;
  readonly #failure: () => HostError;
  /** Lines that the pipe has not taken, by the function that gives up waiting for it. */
  readonly #waiting = new Set<() => void>();
  #closed = false;

  /** @param failure makes the `server_exit` error of a write that failed */
  constructor(sink: Bun.FileSink, failure: () => HostError) {
    this.#sink = sink;
    this.#failure = failure;
  }

  /** @throws HostError `server_exit` */
  write(line: string): Promise<void> {
    if (this.#closed) return Promise.reject(this.#failure());
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
    return typeof written === "number" ? Promise.resolve() : this.#fail();
  }

  /** Closes stdin behind what was written. Idempotent. */
  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      const ended: unknown = this.#sink.end();
      if (ended instanceof Promise) ended.catch(ignore);
    } catch {
      // It was closed from the other side.
    }
  }

  /** The child is gone: what waits for its pipe (which somebody else may hold) has failed. */
  abandon(): void {
    this.end();
    this.unref();
    for (const giveUp of this.#waiting) giveUp();
  }

  /** A pending write keeps the event loop alive no more. */
  unref(): void {
    this.#sink.unref();
  }

  #fail(): Promise<never> {
    this.end();
    return Promise.reject(this.#failure());
  }

  async #settle(pending: Promise<unknown>): Promise<void> {
    const { promise: gone, reject: giveUp } = Promise.withResolvers<never>();
    const onGone = () => giveUp(this.#failure());
    this.#waiting.add(onGone);
    try {
      await Promise.race([pending, gone]);
    } catch {
      return await this.#fail();
    } finally {
      this.#waiting.delete(onGone);
    }
  }
}

// --- internal ---

function ignore(): void {}
