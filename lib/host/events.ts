/** What happens in the host, told to whoever listens. A slow listener loses the oldest events, never holds up a call. */
import type { Log } from "../base/log.ts";
import type { EventOf, EventType, HostEvent } from "./types.ts";

const queueMax = 1000;

/** Fans events out to any number of listeners. */
export class Events {
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  /** Made anew when they change, so that whoever goes through them is not disturbed. */
  readonly #watchers: Record<EventType, readonly Watcher[]> = {
    server_state: [],
    tools_changed: [],
    list_changed: [],
    call_start: [],
    call_end: [],
  };
  #closed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Somebody wants to know of such events: where nobody does, none needs to be made. */
  hears(type: EventType): boolean {
    return this.#listeners.size > 0 || this.#watchers[type].length > 0;
  }

  emit(event: HostEvent): void {
    for (const watcher of this.#watchers[event.type]) watcher(event);
    if (this.#listeners.size > 0) this.#queue(event);
  }

  /** As `OpenedHost.onEvent`. */
  watch<T extends EventType>(
    watcher: (event: EventOf<T>) => void,
    types: readonly T[] = Object.keys(this.#watchers) as T[],
  ): Disposable {
    const all = this.#watchers;
    // It is told of nothing but its types.
    const added = watcher as Watcher;
    for (const type of types) all[type] = [...all[type], added];
    return {
      [Symbol.dispose]() {
        for (const type of types) all[type] = all[type].filter((one) => one !== added);
      },
    };
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

  // --- internal ---

  #queue(event: HostEvent): void {
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
}

// --- internal ---

type Watcher = (event: HostEvent) => void;

interface Listener {
  queue: HostEvent[];
  lost: number;
  wake: () => void;
}
