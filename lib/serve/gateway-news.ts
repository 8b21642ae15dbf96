/**
 * Lists that changed on any server, told to whoever follows them: once for all changes within a short time, and only by
 * servers that a listener shows (protocol.md 2.6, 10).
 */
import type { OpenedHost } from "../host/opened-types.ts";
import type { EventOf } from "../host/types.ts";
import type { ListName } from "../protocol/subscriptions.ts";

/** `servers`: those whose list changed. */
export type NewsListener = (list: ListName, servers: ReadonlySet<string>) => void;

/** A server that comes back more often than that is not asked for its tools each time. */
const relistMs = 1000;

const heard = ["tools_changed", "list_changed", "server_state"] as const;
const lists: readonly ListName[] = ["tools", "prompts", "resources"];

export class News implements Disposable {
  readonly #host: Pick<OpenedHost, "onEvent" | "tools">;
  readonly #coalesceMs: number;
  readonly #listeners = new Set<NewsListener>();
  readonly #changed = new Map<ListName, Set<string>>();
  /** Servers that some list was made without. */
  readonly #missing = new Set<string>();
  /** When each was there last, on the clock of `performance.now`. */
  readonly #seen = new Map<string, number>();
  readonly #hearing: Disposable;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Pick<OpenedHost, "onEvent" | "tools">, coalesceMs: number) {
    this.#host = host;
    this.#coalesceMs = coalesceMs;
    this.#hearing = host.onEvent((event) => this.#hear(event), heard);
  }

  listen(listener: NewsListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  tell(list: ListName, server: string): void {
    if (this.#listeners.size === 0) return;
    const servers = this.#changed.get(list) ?? new Set();
    this.#changed.set(list, servers.add(server));
    this.#timer ??= setTimeout(() => this.#flush(), this.#coalesceMs);
  }

  /** A list was given without this server: when it is there, its lists have changed. */
  missed(server: string): void {
    this.#missing.add(server);
  }

  [Symbol.dispose](): void {
    this.#hearing[Symbol.dispose]();
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  // --- internal ---

  #flush(): void {
    this.#timer = undefined;
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const [list, servers] of changed)
      for (const listener of this.#listeners) listener(list, servers);
  }

  #hear(event: EventOf<(typeof heard)[number]>): void {
    if (event.type === "tools_changed") this.tell("tools", event.server);
    else if (event.type === "list_changed") this.tell(event.list, event.server);
    else if (event.state === "ready") this.#back(event.server);
  }

  /** One that was there before may have other tools by now, and nobody has told: its list is looked at. */
  #back(server: string): void {
    const at = this.#seen.get(server);
    const now = performance.now();
    this.#seen.set(server, now);
    if (this.#missing.delete(server)) for (const list of lists) this.tell(list, server);
    else if (at !== undefined && now - at > relistMs && this.#listeners.size > 0)
      void this.#host.tools({ servers: [server] }).catch(() => {});
  }
}
