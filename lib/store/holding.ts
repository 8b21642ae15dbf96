/**
 * This process in the store: written there before it first holds a call, and kept alive there as long as the store is
 * open; and what becomes of the calls of processes that are gone.
 */
import { debug } from "../base/log.ts";
import type { Log } from "../base/log.ts";
import { runAll } from "./db.ts";
import type { Db, Sql, Transaction } from "./db.ts";
import { beat, beatMs, goneHolders, thisProcess } from "./holder.ts";
import { approvalOf, column, journalOf } from "./rows.ts";
import type { Row } from "./rows.ts";
import { writesOf } from "./steps.ts";
import type { Approval, AuditEvent, Holder, JournalEntry, ServerKey } from "./types.ts";

export class Holding {
  readonly #db: Db;
  readonly #log: Log;
  #me: Promise<Holder> | undefined;
  #registered: Promise<string> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** The id that this process holds calls by. @throws HostError `config` */
  id(): Promise<string> {
    this.#registered ??= this.#register().catch((error: unknown) => {
      this.#registered = undefined;
      throw error;
    });
    return this.#registered;
  }

  /**
   * What processes that are gone have left: what they sent is uncertain, what they only prepared was not sent; what waits
   * and outlives them is free to be taken over, the rest is cancelled. Returns what is uncertain now.
   * @throws HostError `config`
   */
  async recover(): Promise<JournalEntry[]> {
    const gone = await goneHolders(this.#db, await this.#self());
    const found: JournalEntry[] = [];
    for (const { id, reboot } of gone) {
      const left = await this.#db.write(async (tx) => {
        const now = this.#db.now();
        const { uncertain, ended } = await recoverOne(tx, { id, reboot, now });
        await this.#note(tx, [
          ...uncertain.map((entry) => endOf(entry, now)),
          ...(await endsOf(tx, ended, now)),
        ]);
        return uncertain;
      });
      found.push(...left);
    }
    await this.#expire();
    return found;
  }

  /** Ends what is overdue and what nobody runs: whoever waits for one ends it in time, unless nobody does. */
  async #expire(): Promise<void> {
    const before = this.#db.now() - overdueMs;
    const isOverdue = (sql: Sql) =>
      sql`state in ('pending', 'approved') and expires_at < ${before}`;
    const overdue = await this.#db.read<Row[]>(
      (sql) => sql`select id from mcphost_approvals where ${isOverdue(sql)} limit 1`,
    );
    if (overdue.length === 0) return;
    const now = this.#db.now();
    await this.#db.write(async (tx) => {
      const ended: Row[] = await tx`update mcphost_approvals set ended_at = ${now}, reason =
          case state when 'pending' then 'nobody decided in time' else 'nobody ran it in time' end,
        state = 'expired' where ${isOverdue(tx)} returning *`;
      await this.#note(tx, await endsOf(tx, ended, now));
    });
  }

  /** Writes down how calls ended of which nobody else says it. */
  async #note(tx: Transaction, events: AuditEvent[]): Promise<void> {
    await runAll(tx, writesOf([{ events }], { holder: "", db: this.#db }));
  }

  /**
   * Those for these servers that outlive the process that held them, and are held by nobody now; each is this process's from
   * then on. A server of the same name and another configuration is another's: whose call it is may come back.
   */
  async adopt(servers: readonly ServerKey[]): Promise<Approval[]> {
    if (servers.length === 0) return [];
    const keys = servers.map(({ name, config }) => `${config} ${column(name)}`);
    const isFree = (sql: Sql) =>
      sql`holder is null and survives = 1 and state in ('pending', 'approved') and config || ' ' || server in ${sql(keys)}`;
    // Mostly there is none, and then nothing is locked.
    const free = await this.#db.read<Row[]>(
      (sql) => sql`select id from mcphost_approvals where ${isFree(sql)} limit 1`,
    );
    if (free.length === 0) return [];
    const holder = await this.id();
    const rows = await this.#db.write<Row[]>(
      (tx) => tx`update mcphost_approvals set holder = ${holder} where ${isFree(tx)} returning *`,
    );
    return rows.map(approvalOf);
  }

  /** It holds nothing any more. Never throws. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    const id = await this.#registered?.catch(() => undefined);
    if (id === undefined) return;
    await this.#db
      .write(async (tx) => {
        await tx`update mcphost_approvals set holder = null
          where holder = ${id} and survives = 1 and state in ('pending', 'approved')`;
        await tx`delete from mcphost_holders where id = ${id}
          and not exists (select 1 from mcphost_journal where holder = ${id} and state <> 'uncertain')`;
      })
      .catch((error: unknown) => debug(this.#log, undefined, () => `store: ${String(error)}`));
  }

  #self(): Promise<Holder> {
    return (this.#me ??= thisProcess());
  }

  async #register(): Promise<string> {
    const me = await this.#self();
    await beat(this.#db, me);
    const again = () =>
      beat(this.#db, me).catch((error: unknown) =>
        debug(this.#log, undefined, () => `store: no heartbeat: ${String(error)}`),
      );
    this.#timer = setInterval(again, beatMs);
    this.#timer.unref();
    return me.id;
  }
}

// --- internal ---

/** Whoever waits is given the time to say so. */
const overdueMs = 5000;

/** What the audit log says of a call that nobody waits for any more. */
function endOf({ id, owner, server, tool }: JournalEntry, at: number): AuditEvent {
  const message = "the process that sent it ended before an answer";
  const about = { at, owner, call: id, server, tool };
  return { ...about, event: "failed", outcome: "uncertain", detail: { message } };
}

/** The same of calls that were asked about and are over, where the log has anything of them: it may be off. */
async function endsOf(tx: Transaction, rows: readonly Row[], at: number): Promise<AuditEvent[]> {
  if (rows.length === 0) return [];
  const over = rows.map(approvalOf);
  const ids = over.map(({ id }) => id);
  const known: Row[] = await tx`select distinct call from mcphost_audit where call in ${tx(ids)}`;
  const isKnown = new Set(known.map(({ call }) => call));
  return over
    .filter(({ id }) => isKnown.has(id))
    .map(({ id, owner, server, tool, actor, state, reason = "" }) => {
      const about = { at, owner, call: id, server, tool, actor, detail: { message: reason } };
      return state === "expired"
        ? { ...about, event: "decided", outcome: "denied" }
        : { ...about, event: "failed", outcome: state };
    });
}

/** All in one transaction: another process that does the same finds nothing left to do. */
async function recoverOne(
  tx: Transaction,
  { id, reboot, now }: { id: string; reboot: boolean; now: number },
): Promise<{ uncertain: JournalEntry[]; ended: Row[] }> {
  // A power cut may have lost that it was sent.
  const sent = reboot ? ["prepared", "sent"] : ["sent"];
  const gone = "the process that held it ended";
  const uncertain: Row[] = await tx`update mcphost_journal set state = 'uncertain'
    where holder = ${id} and state in ${tx(sent)} returning *`;
  for (const row of uncertain)
    await tx`update mcphost_approvals set state = 'uncertain', ended_at = ${now},
      reason = ${`${gone} after it was sent, and before an answer`}
      where id = ${row["id"]} and state = 'running'`;
  const failed: Row[] = await tx`update mcphost_approvals set state = 'failed', ended_at = ${now},
    reason = ${`${gone} before it was sent: it did not happen`}
    where holder = ${id} and state = 'running' returning *`;
  await tx`delete from mcphost_journal where holder = ${id} and state = 'prepared'`;
  const cancelled: Row[] =
    await tx`update mcphost_approvals set state = 'cancelled', ended_at = ${now}, reason = ${gone}
    where holder = ${id} and survives = 0 and state in ('pending', 'approved') returning *`;
  await tx`update mcphost_approvals set holder = null
    where holder = ${id} and state in ('pending', 'approved')`;
  await tx`delete from mcphost_holders where id = ${id}`;
  return { uncertain: uncertain.map(journalOf), ended: [...failed, ...cancelled] };
}
