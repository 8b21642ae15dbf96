/**
 * Who waits under which signal. Many requests may share one signal, and each listener of a signal makes the next one
 * dearer; so there is one listener a signal, and none once nobody waits.
 */
export class Aborts<T> {
  readonly #groups = new Map<AbortSignal, { items: Set<T>; onAbort: () => void }>();
  readonly #onAborted: (item: T) => void;

  /** `onAborted` gets each item whose signal fired, removed already. */
  constructor(onAborted: (item: T) => void) {
    this.#onAborted = onAborted;
  }

  /** The signal must not have fired. */
  add(signal: AbortSignal, item: T): void {
    const group = this.#groups.get(signal);
    if (group !== undefined) return void group.items.add(item);
    const items = new Set([item]);
    const onAbort = () => {
      this.#groups.delete(signal);
      for (const each of items) this.#onAborted(each);
    };
    this.#groups.set(signal, { items, onAbort });
    signal.addEventListener("abort", onAbort, { once: true });
  }

  remove(signal: AbortSignal, item: T): void {
    const group = this.#groups.get(signal);
    if (group === undefined) return;
    group.items.delete(item);
    if (group.items.size > 0) return;
    this.#groups.delete(signal);
    signal.removeEventListener("abort", group.onAbort);
  }
}
