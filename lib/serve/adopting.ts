/**
 * Takes over calls that wait for approval and whose process is gone: another `serve` on this store, or this one before it was
 * started anew. What is approved is then run here, by the one that took it.
 */
import { isHostError } from "../base/errors.ts";
import { debug } from "../base/log.ts";
import type { Actor, Outcome } from "../hooks/call.ts";
import type { Store } from "../store/store.ts";
import type { Approvals, ServeContext } from "./types.ts";

export class Adopting implements Disposable {
  readonly #context: Pick<ServeContext, "host" | "calls" | "log">;
  readonly #approvals: Approvals;
  readonly #timer: ReturnType<typeof setInterval>;
  #isLooking = false;

  constructor(context: Pick<ServeContext, "host" | "calls" | "log">, approvals: Approvals) {
    this.#context = context;
    this.#approvals = approvals;
    this.#timer = setInterval(() => void this.#look(), everyMs);
    this.#timer.unref();
    void this.#look();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** One that came to nothing before it was decided waits for nobody any more, unless it is only we who end. Never rejects. */
  async #ended(store: Store, id: string, { error }: Outcome): Promise<void> {
    if (error === undefined || error.facts["stopping"] === true) return;
    await store.approvals.cancel(id, error.message).catch(() => undefined);
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#approvals.adopts !== true) return;
    this.#isLooking = true;
    const { host, calls, log } = this.#context;
    try {
      const store = await this.#approvals.store();
      await store.recover();
      const servers = await host.serverKeys();
      for (const { id, owner, actor, server, tool, proposed } of await store.adopt(servers)) {
        const { outcome } = calls.begin({
          id,
          owner,
          actor: actor as Actor,
          tool: `${server}/${tool}`,
          arguments: proposed,
          resumes: true,
          keepsResult: true,
        });
        void outcome.then((ended) => this.#ended(store, id, ended));
      }
    } catch (error) {
      const text = isHostError(error) ? error.message : String(error);
      debug(log, undefined, () => `nothing is taken over: ${text}`);
    } finally {
      this.#isLooking = false;
    }
  }
}

// --- internal ---

const everyMs = 10_000;
