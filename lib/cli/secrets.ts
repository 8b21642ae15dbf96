/** What must not be shown, found out when something is: most calls write nothing on stderr, and never ask. */
import { redactor } from "../config/redact.ts";

export class Secrets implements Iterable<string> {
  readonly #known = new Set<string>();
  #unasked: (() => Iterable<string>)[] = [];
  /** For as many as were known then. */
  #hiding: { size: number; hide: (text: string) => string } | undefined;

  /** There is none, and none can turn up. */
  get isEmpty(): boolean {
    return this.#known.size === 0 && this.#unasked.length === 0;
  }

  /** Asks `find` when the secrets are first needed. */
  later(find: () => Iterable<string>): void {
    this.#unasked.push(find);
  }

  /** `text` without any that is known by now (`redact`); for the next texts it is prepared. */
  hide(text: string): string {
    const all = [...this];
    if (this.#hiding?.size !== all.length) this.#hiding = { size: all.length, hide: redactor(all) };
    return this.#hiding.hide(text);
  }

  [Symbol.iterator](): Iterator<string> {
    for (const find of this.#unasked.splice(0))
      for (const secret of find()) this.#known.add(secret);
    return this.#known.values();
  }
}
