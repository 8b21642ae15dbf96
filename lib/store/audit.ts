/** Reads the audit log, and what is uncertain. Writing is the journal's. */
import type { Db } from "./db.ts";
import { auditOf, column, journalOf } from "./rows.ts";
import type { Row } from "./rows.ts";
import type { AuditEvent, AuditRow, JournalEntry } from "./types.ts";

/** What is absent does not matter. */
export interface AuditFilter {
  owner?: string;
  /** Milliseconds since the epoch: from then on, and before then. */
  since?: number;
  until?: number;
  server?: string;
  tool?: string;
  actor?: string;
  outcome?: string;
  event?: AuditEvent["event"];
  call?: string;
}

/** One page: the first `limit` after `after`, or the last `limit` before `before`; in the order of `seq` either way. */
export type AuditPage = { limit: number } & ({ after: number } | { before: number });

/** @throws HostError `config`: the store cannot be asked */
export async function auditRows(
  db: Db,
  { owner, since, until, server, tool, actor, outcome, event, call }: AuditFilter,
  page: AuditPage,
): Promise<AuditRow[]> {
  const rows = await db.read<Row[]>((sql) => {
    const same = (name: string, value: string | undefined) =>
      value === undefined ? sql`` : sql`and ${sql(name)} = ${column(value)}`;
    const isOnward = "after" in page;
    const from = isOnward ? sql`seq > ${page.after}` : sql`seq < ${page.before}`;
    return sql`select * from mcphost_audit where ${from}
      ${since === undefined ? sql`` : sql`and at >= ${Math.round(since)}`}
      ${until === undefined ? sql`` : sql`and at < ${Math.round(until)}`}
      ${same("owner", owner)} ${same("server", server)} ${same("tool", tool)} ${same("actor", actor)}
      ${same("outcome", outcome)} ${same("event", event)} ${same("call", call)}
      order by seq ${isOnward ? sql`asc` : sql`desc`} limit ${page.limit}`;
  });
  const events = rows.map(auditOf);
  return "after" in page ? events : events.toReversed();
}

/** Calls that were sent and of which nobody knows what became, the newest first. @throws as `auditRows` */
export async function uncertainCalls(db: Db, owner: string | undefined): Promise<JournalEntry[]> {
  const rows = await db.read<Row[]>((sql) => {
    const own = owner === undefined ? sql`` : sql`and owner = ${owner}`;
    return sql`select * from mcphost_journal where state = 'uncertain' ${own} order by at desc, id`;
  });
  return rows.map(journalOf);
}

/** Somebody has looked what became of an uncertain call. False: there is none. @throws as `auditRows` */
export async function acknowledge(
  db: Db,
  owner: string | undefined,
  { id, reason }: { id: string; reason: string },
): Promise<boolean> {
  const now = db.now();
  let isFound = false;
  await db.write(async (tx) => {
    const own = owner === undefined ? tx`` : tx`and owner = ${owner}`;
    const rows: Row[] =
      await tx`delete from mcphost_journal where id = ${id} and state = 'uncertain' ${own} returning id`;
    isFound ||= rows.length > 0;
    if (rows.length > 0)
      await tx`update mcphost_approvals set state = 'failed', ended_at = ${now},
        reason = ${column(reason)} where id = ${id} and state = 'uncertain'`;
  });
  return isFound;
}
