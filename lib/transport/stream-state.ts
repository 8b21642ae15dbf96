/** What is known of a stream of events across its connections. Pure. */

/** What an event says of its stream. */
interface Noted {
  id?: string;
  retry?: number;
}

export class StreamState {
  lastEventId: string | undefined;
  /** As the server asked. */
  retryMs: number | undefined;
  /** Ids of events of this connection; most servers give none. */
  #current: Set<string> | undefined;
  /** Ids of events of the connections before: what comes under them again is a replay. */
  #earlier: Set<string> | undefined;

  /** Another connection begins. */
  reconnected(): void {
    if (this.#current === undefined) return;
    this.#earlier = bounded(new Set([...(this.#earlier ?? []), ...this.#current]));
    this.#current = undefined;
  }

  /** Keeps what an event says about the stream. True for one that an earlier connection brought. */
  note({ id, retry }: Noted): boolean {
    if (retry !== undefined) this.retryMs = retry;
    if (id === undefined) return false;
    this.lastEventId = id;
    this.#current ??= new Set();
    this.#current.add(id);
    bounded(this.#current);
    return this.#earlier?.has(id) === true;
  }
}

// --- internal ---

const idsMax = 1024;

/** Without the oldest ids. */
function bounded(ids: Set<string>): Set<string> {
  for (const id of ids) {
    if (ids.size <= idsMax) break;
    ids.delete(id);
  }
  return ids;
}
