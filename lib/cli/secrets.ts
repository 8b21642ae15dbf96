/** What must not be shown, found out when something is: most calls write nothing on stderr, and never ask. */
import { redact, redactor } from "../config/redact.ts";

export class Secrets implements Iterable<string> {
  readonly #known = new Set<string>();
  /** Secrets that the person typed: none to them, but to whoever reads later. */
  readonly #typed = new Set<string>();
  #unasked: { find: () => Iterable<string>; typed: string }[] = [];
  /** For as many as were known then. */
  #hiding: { size: number; hide: (text: string) => string } | undefined;

  /** There is none, and none can turn up. */
  get isEmpty(): boolean {
    return this.#known.size === 0 && this.#unasked.length === 0;
  }

  /** Asks `find` when the secrets are first needed. @param typed what the person wrote: what is in it is shown to them */
  later(find: () => Iterable<string>, typed = ""): void {
    this.#unasked.push({ find, typed });
  }

  /** `text` without any that is known by now (`redact`); for the next texts it is prepared. */
  hide(text: string): string {
    const all = [...this];
    if (this.#hiding?.size !== all.length) this.#hiding = { size: all.length, hide: redactor(all) };
    return this.#hiding.hide(text);
  }

  /** As `hide`, for what is kept: without what was typed, too. */
  hideAll(text: string): string {
    const shown = this.hide(text);
    return this.#typed.size === 0 ? shown : redact(shown, this.#typed);
  }

  [Symbol.iterator](): Iterator<string> {
    for (const { find, typed } of this.#unasked.splice(0))
      for (const secret of find()) (typed.includes(secret) ? this.#typed : this.#known).add(secret);
    return this.#known.values();
  }
}
