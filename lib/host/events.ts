/** What happens in the host, told to whoever listens. A slow listener loses the oldest events, never holds up a call. */
import type { Log } from "../base/log.ts";
import type { HostEvent } from "./types.ts";

const queueMax = 1000;

/** Fans events out to any number of listeners. */
export class Events {
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<(event: HostEvent) => void>();
  #closed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  emit(event: HostEvent): void {
    for (const watcher of this.#watchers) watcher(event);
    for (const listener of this.#listeners) {
      if (listener.queue.push(event) > queueMax) {
        listener.queue.shift();
        if (listener.lost++ === 0)
          this.#log({
            level: "warn",
            text: `a listener is slow: it loses events (over ${queueMax} wait)`,
          });
      }
      listener.wake();
    }
  }

  /** Tells each event as it happens, so that none is lost; the watcher takes no time and never throws. */
  watch(watcher: (event: HostEvent) => void): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** Everything from now on; ends when the host is closed. */
  async *listen(): AsyncGenerator<HostEvent, void, void> {
    const listener: Listener = { queue: [], lost: 0, wake: () => {} };
    this.#listeners.add(listener);
    try {
      while (true) {
        yield* listener.queue.splice(0);
        if (this.#closed) return;
        if (listener.queue.length > 0) continue;
        const { promise, resolve } = Promise.withResolvers<void>();
        listener.wake = resolve;
        await promise;
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }

  close(): void {
    this.#closed = true;
    for (const listener of this.#listeners) listener.wake();
  }
}

// --- internal ---

interface Listener {
  queue: HostEvent[];
  lost: number;
  wake: () => void;
}
