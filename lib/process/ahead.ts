/**
 * A process that somebody spoke with before its owner is there. The owner says the same from the start: what was said is not
 * sent again, and what was heard is heard again, each behind what it was the answer to. It neither starts nor stops it.
 */
import type { Output, Process, Read, Reader, Stdin } from "./run.ts";

/** Speaks with a process ahead of its owner (`send`, `read`), and is then what the owner gets. */
export class Ahead implements Process {
  readonly #under: Process;
  readonly #reader: Reader;
  /** All that was sent. */
  #sent = "";
  /** How much of that its owner has sent again. */
  #sentAgain = 0;
  /** What was heard and not yet heard again, with how much was sent by then. */
  readonly #heard: { read: Read; behind: number }[] = [];
  /** A read that is not settled. */
  #reading: Promise<Read> | undefined;
  /** Resolves the next time that its owner sends, or leaves. */
  #turn = Promise.withResolvers<void>();
  #isLeft = false;
  /** Its owner has said and heard all that was, or wants no more of it: before that, it has not ended for its owner. */
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly stdin: Stdin;
  readonly stdout: Output;

  constructor(under: Process) {
    this.#under = under;
    this.#reader = under.stdout.getReader();
    const { stdin } = under;
    this.stdin = {
      write: (text) => this.#write(text),
      flush: () => stdin.flush(),
      end: (error) => {
        this.#caughtUp.resolve();
        return stdin.end(error);
      },
      unref: () => stdin.unref(),
    };
    this.stdout = {
      locked: true,
      cancel: () => this.#reader.cancel(),
      getReader: () => ({ read: () => this.#readAgain(), cancel: () => this.#leave() }),
    };
  }

  /** Sends whole lines, that together fit into a pipe. False where nobody takes them: that is for its owner to find out. */
  send(lines: string): boolean {
    const { stdin } = this.#under;
    try {
      const written: unknown = stdin.write(lines);
      ignore(written);
      ignore(stdin.flush());
      // To a dead process, it answers with a boolean.
      if (typeof written === "boolean") return false;
    } catch {
      return false;
    }
    this.#sent += lines;
    return true;
  }

  /** The next chunk. What nobody waited for is not lost. */
  read(): Promise<Read> {
    return (this.#reading ??= this.#read());
  }

  get pid(): number {
    return this.#under.pid;
  }

  get exited(): Promise<number> {
    this.#look();
    return this.#caughtUp.promise.then(() => this.#under.exited);
  }

  get exitCode(): Process["exitCode"] {
    return this.#under.exitCode;
  }

  get signalCode(): Process["signalCode"] {
    return this.#under.signalCode;
  }

  get stderr(): Output {
    return this.#under.stderr;
  }

  unref(): void {
    this.#under.unref();
  }

  // --- internal ---

  /** @throws Error what is sent is not what was said: the process would hear two voices */
  #write(data: Parameters<Stdin["write"]>[0]): number | Promise<number> {
    const text = String(data);
    const again = this.#sent.slice(this.#sentAgain, this.#sentAgain + text.length);
    if (!text.startsWith(again))
      throw new Error("another message than the one that was sent ahead");
    this.#sentAgain += again.length;
    this.#turn.resolve();
    this.#turn = Promise.withResolvers();
    this.#look();
    const rest = text.slice(again.length);
    return rest === "" ? text.length : this.#under.stdin.write(rest);
  }

  async #read(): Promise<Read> {
    const read = await this.#reader.read();
    this.#reading = undefined;
    this.#heard.push({ read, behind: this.#sent.length });
    return read;
  }

  async #readAgain(): Promise<Read> {
    while (!this.#isLeft) {
      const [next] = this.#heard;
      if (next === undefined) await this.read();
      else if (this.#sentAgain < next.behind) await this.#turn.promise;
      else {
        this.#heard.shift();
        this.#look();
        return next.read;
      }
    }
    return { done: true };
  }

  #look(): void {
    const isCaughtUp = this.#sentAgain === this.#sent.length && this.#heard.length === 0;
    if (isCaughtUp) this.#caughtUp.resolve();
  }

  async #leave(): Promise<void> {
    this.#isLeft = true;
    this.#caughtUp.resolve();
    this.#turn.resolve();
    await this.#reader.cancel();
  }
}

// --- internal ---

/** How that went is seen by the end of the process. */
function ignore(result: unknown): void {
  if (result instanceof Promise) result.catch(() => {});
}
