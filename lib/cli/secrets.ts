/** What must not be shown, found out when something is: most calls write nothing on stderr, and never ask. */
import { redactor } from "../config/redact.ts";

export class Secrets implements Iterable<string> {
  readonly #known = new Set<string>();
  /** Secrets that the person typed: none to them, but to whoever reads later. */
  readonly #typed = new Set<string>();
  readonly #hideKnown = hiding(this.#known);
  readonly #hideTyped = hiding(this.#typed);
  #unasked: { find: () => Iterable<string>; typed: string }[] = [];

  /** There is none, and none can turn up. */
  get isEmpty(): boolean {
    return this.#known.size === 0 && this.#unasked.length === 0;
  }

  /** Asks `find` when the secrets are first needed. @param typed what the person wrote: what is in it is shown to them */
  later(find: () => Iterable<string>, typed = ""): void {
    this.#unasked.push({ find, typed });
  }

  /** `text` without any that is known by now (`redactor`). */
  hide(text: string): string {
    if (this.#unasked.length > 0) this.#ask();
    return this.#hideKnown(text);
  }

  /** As `hide`, for what is kept: without what was typed, too. */
  hideAll(text: string): string {
    return this.#hideTyped(this.hide(text));
  }

  [Symbol.iterator](): Iterator<string> {
    this.#ask();
    return this.#known.values();
  }

  #ask(): void {
    for (const { find, typed } of this.#unasked.splice(0))
      for (const secret of find()) (typed.includes(secret) ? this.#typed : this.#known).add(secret);
  }
}

// --- internal ---

/** Hides what a set holds by then: made ready when it has grown, for all texts until it grows again. */
function hiding(secrets: ReadonlySet<string>): (text: string) => string {
  let ready = { size: 0, hide: (text: string) => text };
  return (text) => {
    if (ready.size !== secrets.size) ready = { size: secrets.size, hide: redactor(secrets) };
    return ready.hide(text);
  };
}
