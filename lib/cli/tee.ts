/**
 * The pump of `tee`: passes bytes on exactly as they came, and the end of each side to the other. It knows nothing of what
 * passes, and waits for nobody but the one who reads.
 */

import { portionBytes, Turns } from "../base/turns.ts";

/** The part of a stream's reader that is used here. */
export interface Source {
  read(): Promise<{ value?: Uint8Array | undefined; done: boolean }>;
  cancel(): Promise<void>;
}

export interface Outlet {
  /** Resolves when all of it was taken; false when the reader has left. */
  write(chunk: Uint8Array): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Passes everything on until the source ends or the reader has left, then closes both sides.
 * `tap` sees each chunk before it is passed, and undefined at the end.
 */
export class Pump {
  readonly done: Promise<void>;
  readonly #source: Source;
  #chunks = 0;
  #state: "reading" | "writing" | "over" = "reading";

  constructor(source: Source, outlet: Outlet, tap: (chunk: Uint8Array | undefined) => void) {
    this.#source = source;
    this.done = this.#run(outlet, tap);
  }

  /** Ends it once nothing came for so long: the source's process is gone, and somebody else keeps the pipe. */
  async endWhenQuiet(quietMs: number): Promise<void> {
    for (let seen = -1; this.#state !== "over"; await Bun.sleep(quietMs)) {
      if (this.#state === "reading" && seen === this.#chunks) await this.#source.cancel();
      seen = this.#chunks;
    }
  }

  async #run(outlet: Outlet, tap: (chunk: Uint8Array | undefined) => void): Promise<void> {
    const turns = new Turns();
    for (let isTaken = true; isTaken;) {
      this.#state = "reading";
      const { value, done } = await this.#source.read();
      if (done || value === undefined) break;
      this.#chunks++;
      this.#state = "writing";
      for (let at = 0; isTaken && at < value.length; at += portionBytes) {
        const portion = value.subarray(at, at + portionBytes);
        tap(portion);
        isTaken = await outlet.write(portion);
        await turns.next(portion.length);
      }
    }
    this.#state = "over";
    tap(undefined);
    await outlet.close();
    await this.#source.cancel();
  }
}
