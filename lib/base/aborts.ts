/**
 * Who waits under which signal, as a count: many requests may share one signal, and each listener of a signal makes the
 * next one dearer. So there is one listener a signal. The last signal that nobody waits under any more is still listened
 * to, since most often the next request brings it again.
 */
export class Aborts {
  readonly #groups = new Map<AbortSignal, Group>();
  readonly #onAborted: (signal: AbortSignal) => void;
  #idle: AbortSignal | undefined;

  constructor(onAborted: (signal: AbortSignal) => void) {
    this.#onAborted = onAborted;
  }

  /** The signal must not have fired. */
  add(signal: AbortSignal): void {
    const group = this.#groups.get(signal) ?? this.#listen(signal);
    group.waiting++;
  }

  /** Once for each `add`. */
  remove(signal: AbortSignal): void {
    const group = this.#groups.get(signal);
    if (group === undefined || --group.waiting > 0) return;
    const before = this.#idle;
    this.#idle = signal;
    if (before !== undefined && before !== signal) this.#leave(before);
  }

  /** Listens to nothing any more. */
  clear(): void {
    for (const signal of this.#groups.keys()) this.#leave(signal);
  }

  // --- internal ---

  #listen(signal: AbortSignal): Group {
    const onAbort = () => {
      this.#groups.delete(signal);
      this.#onAborted(signal);
    };
    const group = { waiting: 0, onAbort };
    this.#groups.set(signal, group);
    signal.addEventListener("abort", onAbort, { once: true });
    return group;
  }

  #leave(signal: AbortSignal): void {
    const group = this.#groups.get(signal);
    if (group === undefined || group.waiting > 0) return;
    this.#groups.delete(signal);
    signal.removeEventListener("abort", group.onAbort);
  }
}

interface Group {
  waiting: number;
  onAbort: () => void;
}
