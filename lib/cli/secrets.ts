/** What must not be shown, found out when something is: most calls write nothing on stderr, and never ask. */
export class Secrets implements Iterable<string> {
  readonly #known = new Set<string>();
  #unasked: (() => Iterable<string>)[] = [];

  /** There is none, and none can turn up. */
  get isEmpty(): boolean {
    return this.#known.size === 0 && this.#unasked.length === 0;
  }

  /** Asks `find` when the secrets are first needed. */
  later(find: () => Iterable<string>): void {
    this.#unasked.push(find);
  }

  [Symbol.iterator](): Iterator<string> {
    for (const find of this.#unasked.splice(0))
      for (const secret of find()) this.#known.add(secret);
    return this.#known.values();
  }
}
