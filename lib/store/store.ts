/**
 * The store: approvals, grants, the journal and the audit log in one database, SQLite or Postgres. Opening it makes it,
 * brings it up to date, and settles what processes that are gone have left. It holds no policy.
 */
import { join } from "node:path";

import { sleep } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { Approvals } from "./approvals.ts";
import { acknowledge, auditRows, uncertainCalls } from "./audit.ts";
import type { AuditFilter, AuditPage } from "./audit.ts";
import { Db } from "./db.ts";
import { Grants } from "./grants.ts";
import { Holding } from "./holding.ts";
import { Journal } from "./journal.ts";
import { migrate } from "./migrations.ts";
import { openPostgres } from "./postgres.ts";
import { prune } from "./retention.ts";
import type { Retention } from "./retention.ts";
import { isDamage } from "./sql-errors.ts";
import { openSqlite } from "./sqlite.ts";
import type { Approval, AuditRow, JournalEntry, ServerKey } from "./types.ts";
import { Waiting } from "./waiting.ts";

export interface StoreOptions {
  /** `postgres://…`, or the path of a file. @default `store.db` in `folder` */
  url?: string | undefined;
  /** Our state folder. */
  folder: string | undefined;
  log: Log;
  /** Milliseconds since the epoch. @default Date.now */
  now?: () => number;
  /** How long one step may take while the store is locked or unreachable. @default 5000 */
  waitMs?: number;
}

/** `owner`: undefined is everybody, for the person whose store it is. All throw HostError `config`: it cannot be asked. */
export interface Store extends AsyncDisposable {
  /** Where it is, without credentials. */
  readonly label: string;
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly journal: Journal;
  /**
   * Waits until an approval is decided, or its time is over: by the clock, or after as long as it had when the wait
   * began, so that a clock that jumps back does not make it longer. Undefined: it is gone.
   */
  decision(id: string, signal?: AbortSignal): Promise<Approval | undefined>;
  auditRows(filter: AuditFilter, page: AuditPage): Promise<AuditRow[]>;
  uncertainCalls(owner: string | undefined): Promise<JournalEntry[]>;
  /** Somebody looked what became of an uncertain call. False: there is none. */
  acknowledge(owner: string | undefined, told: { id: string; reason: string }): Promise<boolean>;
  /** Settles what processes that are gone have left; returns what is uncertain since. Is done at the opening, too. */
  recover(): Promise<JournalEntry[]>;
  /**
   * Takes over what waits for these servers and whose process is gone. @returns those that are this process's from now on
   */
  adopt(servers: readonly ServerKey[]): Promise<Approval[]>;
  /** What is old is known by a clock that cannot jump forward: a wrong one takes nothing away. */
  prune(retention?: Retention): Promise<void>;
}

/**
 * @throws HostError `config`: there is no place for it, it cannot be opened within the time, or a newer program made it
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { log, now = Date.now } = options;
  const { db, holding } = await ready(options).catch((error: unknown) => {
    // A file that is damaged further back is put aside by the next opening: this one.
    if (isDamage(error)) return ready(options);
    throw error;
  });
  const { engine } = db;
  const openedAt = now() - performance.now();
  const waiting = new Waiting(db, log);
  const approvals = new Approvals(db, holding, (id) => waiting.wake(id));
  const journal = new Journal(db, holding, { log });
  const close = async () => {
    await waiting.close();
    await journal.close();
    await holding.leave();
    await engine.close();
  };
  let closing: Promise<void> | undefined;
  return {
    label: engine.label,
    approvals,
    grants: new Grants(db),
    journal,
    decision: (id, signal) => decision(id, { approvals, waiting, now, signal }),
    auditRows: (filter, page) => auditRows(db, filter, page),
    uncertainCalls: (owner) => uncertainCalls(db, owner),
    acknowledge: (owner, told) => acknowledge(db, owner, told),
    recover: () => holding.recover(),
    adopt: (servers) => holding.adopt(servers),
    prune: (retention) => prune(db, Math.min(now(), openedAt + performance.now()), retention),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

/** The file of a store that lies in one; undefined where it is a Postgres, or has no place. */
export function storeFile({
  url,
  folder,
}: Pick<StoreOptions, "url" | "folder">): string | undefined {
  if (url !== undefined) return isPostgres.test(url) ? undefined : url;
  return folder === undefined ? undefined : join(folder, "store.db");
}

// --- internal ---

const isPostgres = /^postgres(ql)?:/;

/** The database, up to date, and what processes that are gone have left in it settled. @throws HostError `config` */
async function ready(options: StoreOptions): Promise<{ db: Db; holding: Holding }> {
  const { log, now = Date.now, waitMs = 5000 } = options;
  const engine = await engineOf(options, waitMs);
  const db = new Db(engine, { now, waitMs });
  const holding = new Holding(db, log);
  try {
    await migrate(db);
    await holding.recover();
    return { db, holding };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function engineOf({ url, folder, log }: StoreOptions, waitMs: number) {
  if (url !== undefined && isPostgres.test(url)) return openPostgres(url, waitMs);
  const file = storeFile({ url, folder });
  if (file !== undefined) return await openSqlite(file, { log, waitMs });
  throw new HostError("config", "there is no folder for the store", {
    hint: "set HOME or XDG_STATE_HOME, or name a store in the config",
  });
}

interface Deciding {
  approvals: Approvals;
  waiting: Waiting;
  now: () => number;
  signal: AbortSignal | undefined;
}

async function decision(
  id: string,
  { approvals, waiting, now, signal }: Deciding,
): Promise<Approval | undefined> {
  const [begun, begunAt] = [now(), performance.now()];
  const first = await approvals.get(undefined, id);
  if (first?.state !== "pending") return first;
  const scope = new AbortController();
  const until = AbortSignal.any([scope.signal, ...(signal ? [signal] : [])]);
  // By a clock that only goes up, and looked at now and then by that of the wall.
  const deadline = begunAt + first.expiresAt - begun;
  const isOver = () => performance.now() >= deadline;
  const timer = (async () => {
    while (!isOver() && now() < first.expiresAt)
      await sleep(Math.min(Math.max(deadline - performance.now(), 1), clockMs), until);
    await approvals.expire(id, true);
  })();
  // What fails there leaves it pending, and is found out by who decides or runs it.
  timer.catch(() => undefined);
  try {
    await Promise.race([waiting.until(id, until), timer.then(() => undefined)]);
    return await approvals.get(undefined, id);
  } finally {
    scope.abort();
  }
}

/** How late a jump of the wall's clock is noticed. */
const clockMs = 1000;
