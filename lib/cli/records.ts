/**
 * What one command keeps of its calls: the store, opened when it is first needed, and the recorder that writes to it.
 * Loaded only where something is kept.
 */
import { isHostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Config } from "../config/types.ts";
import { StoredApprovals } from "../host/approvals.ts";
import { StoreRecorder } from "../host/record.ts";
import { openStore, storeFile } from "../store/store.ts";
import type { Store } from "../store/store.ts";
import { tapOf } from "./audit-file.ts";
import type { Tap } from "./audit-file.ts";
import { isStore, storePlace } from "./store-place.ts";
import { watchStore } from "./store-watch.ts";
import type { Io } from "./types.ts";

export interface RecordsOptions {
  config: Pick<Config, "records" | "limits">;
  io: Io;
  log: Log;
  /** Every call is written down; else only those for which the store was opened. */
  isAudited: boolean;
  /** Calls that are asked about wait for others to answer. */
  waits: boolean;
  /** They wait on when this process ends. */
  survives: boolean;
}

export class Records implements AsyncDisposable {
  readonly recorder: StoreRecorder;
  readonly keeper: StoredApprovals;
  readonly #session = crypto.randomUUID();
  readonly #options: RecordsOptions;
  readonly #tap: Tap | undefined;
  #opened: Store | undefined;
  #opening: Promise<Store> | undefined;
  #pruning: ReturnType<typeof setInterval> | undefined;
  #watching: Disposable | undefined;

  constructor(options: RecordsOptions) {
    this.#options = options;
    const { io, log, isAudited, config } = options;
    this.#tap = tapOf(config.records, io, log);
    this.recorder = new StoreRecorder({
      journal: () => this.#opened?.journal ?? (isAudited ? this.#journal() : undefined),
      log,
      hide: (text) => io.secrets?.hideAll(text) ?? text,
      now: Date.now,
      isAudited: config.records.audit !== false,
      tap: this.#tap && ((event) => this.#tap?.write(event)),
    });
    this.keeper = new StoredApprovals({
      store: () => this.store(),
      isThere: async () => isStore(await storePlace(config, io)),
      recorder: this.recorder,
      log,
      session: this.#session,
      waits: options.waits,
      survives: options.survives,
      timeoutMs: config.limits.approvalTimeoutMs ?? approvalDefaultMs,
      now: Date.now,
    });
  }

  /**
   * The store. One that could not be opened is tried again, but not at once: nobody waits twice for the same.
   * @throws HostError `config`
   */
  store(): Promise<Store> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /**
   * Opens it for a program that runs for long, and keeps it within its bounds.
   * @throws HostError `config`, where the store was asked for, or is newer than we are; else its absence is told
   */
  async begin(): Promise<void> {
    const { log, config } = this.#options;
    const { audit, store } = config.records;
    try {
      await this.store();
    } catch (error) {
      const isNewer = isHostError(error) && error.facts["version"] !== undefined;
      if (!isHostError(error) || isNewer || audit === true || store !== undefined) throw error;
      const why = error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
      log({ level: "warn", text: `no audit log, and no approvals: ${why}` });
      return;
    }
    const prune = () => void this.#prune();
    prune();
    this.#pruning = setInterval(prune, pruneMs);
    this.#pruning.unref();
    const file = storeFile(await storePlace(config, this.#options.io));
    if (file !== undefined) this.#watching = await watchStore(file, log);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#pruning);
    this.#watching?.[Symbol.dispose]();
    const opened = this.#opened ?? (await this.#opening?.catch(() => undefined));
    await opened?.grants.endSession(this.#session).catch(() => undefined);
    await opened?.[Symbol.asyncDispose]();
    await this.#tap?.end();
  }

  // --- internal ---

  /** Of the store that is still to be opened; who only asks whether there is one leaves it. */
  #journal(): Promise<Store["journal"]> {
    const journal = this.store().then((store) => store.journal);
    journal.catch(() => {});
    return journal;
  }

  async #open(): Promise<Store> {
    const { config, io, log } = this.#options;
    try {
      const place = await storePlace(config, io);
      const opened = await openStore({ ...place, log });
      const uncertain = await opened.uncertainCalls(undefined);
      if (uncertain.length > 0) log({ level: "warn", text: uncertainText(uncertain.length) });
      return (this.#opened = opened);
    } catch (error) {
      setTimeout(() => (this.#opening = undefined), againMs).unref();
      throw error;
    }
  }

  async #prune(): Promise<void> {
    const { config, log } = this.#options;
    const { days, eventsMax } = config.records;
    try {
      await this.#opened?.prune({
        ...(days !== undefined && { ageMs: days * dayMs }),
        ...(eventsMax !== undefined && { eventsMax }),
      });
      await this.#opened?.recover();
    } catch (error) {
      log({ level: "debug", text: `store: ${String(error)}` });
    }
  }
}

// --- internal ---

const approvalDefaultMs = 600_000;
const againMs = 5000;
const pruneMs = 3_600_000;
const dayMs = 86_400_000;

function uncertainText(count: number): string {
  const what = count === 1 ? "of one call" : `of ${count} calls`;
  return `nobody knows what became ${what}: mcphost approvals lists what is uncertain, mcphost approvals acknowledge ID takes it off`;
}
