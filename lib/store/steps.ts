/** Steps of calls as rows of the journal and of the audit log, all of a batch at once. Pure. */
import { clip } from "../base/clip.ts";
import type { Db, Engine, Value, Write } from "./db.ts";
import { column, nullable } from "./rows.ts";
import type { AuditEvent, JournalEntry } from "./types.ts";

/** What one step of a call writes. */
export interface JournalStep {
  events?: readonly AuditEvent[];
  /** It is about to be sent: from now on it may have happened. */
  sent?: Omit<JournalEntry, "state" | "at">;
  /** Nothing of it is open any more: it was answered, or was never sent. */
  settled?: string;
  /** Of a call that was sent: nobody knows what became of it. */
  uncertain?: string;
}

/** In as few statements as there are kinds of rows. @param holder this process, where something is sent */
export function writesOf(
  steps: readonly JournalStep[],
  { holder, db }: { holder: string; db: Db },
): Write[] {
  const { kind } = db.engine;
  const now = db.now();
  // One that was sent and settled within the batch was never open.
  const over = new Set<string>();
  const opened: Value[][] = [];
  const uncertain: Value[][] = [];
  const settled: Value[][] = [];
  const events: Value[][] = [];
  for (const step of steps) {
    if (step.settled !== undefined) settled.push([step.settled]);
    if (step.settled !== undefined) over.add(step.settled);
    if (step.uncertain !== undefined) uncertain.push([step.uncertain]);
    if (step.events !== undefined) for (const event of step.events) events.push(rowOf(event));
  }
  for (const { sent } of steps) {
    if (sent === undefined || over.has(sent.id)) continue;
    const { id, owner, server, tool } = sent;
    opened.push([id, column(owner), column(server), column(tool), holder, now]);
  }
  const writes: Write[] = [];
  const add = (statement: Statement, rows: readonly Value[][]) => {
    if (rows.length > 0) writes.push(writeOf(kind, statement, rows));
  };
  add(open, opened);
  add(doubt, uncertain);
  add(settle, settled);
  // In the order of their numbers, so that who follows the log misses none.
  if (events.length > 0 && kind === "postgres")
    writes.push({ text: `select pg_advisory_xact_lock(${orderKey})`, rows: [[]] });
  add(note, events);
  return writes;
}

// --- internal ---

/** The same of both databases: SQLite runs it for each row, Postgres once over all rows as a JSON array of arrays. */
type Statement = Readonly<Record<Engine["kind"], string>>;

const all = "json_array_elements($1::text::json) as rows(r)";

const open: Statement = {
  sqlite: `insert into mcphost_journal (id, owner, server, tool, holder, at, state)
    values (?, ?, ?, ?, ?, ?, 'sent') on conflict (id) do update set state = 'sent', at = excluded.at`,
  postgres: `insert into mcphost_journal (id, owner, server, tool, holder, at, state)
    select r->>0, r->>1, r->>2, r->>3, r->>4, (r->>5)::bigint, 'sent' from ${all}
    on conflict (id) do update set state = 'sent', at = excluded.at`,
};

const doubt: Statement = {
  sqlite: "update mcphost_journal set state = 'uncertain' where id = ?",
  postgres: `update mcphost_journal set state = 'uncertain' where id in (select r->>0 from ${all})`,
};

const settle: Statement = {
  sqlite: "delete from mcphost_journal where id = ?",
  postgres: `delete from mcphost_journal where id in (select r->>0 from ${all})`,
};

const note: Statement = {
  sqlite: `insert into mcphost_audit (at, owner, call, event, server, tool, actor, outcome, detail)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  postgres: `insert into mcphost_audit (at, owner, call, event, server, tool, actor, outcome, detail)
    select (r->>0)::bigint, r->>1, r->>2, r->>3, r->>4, r->>5, r->>6, r->>7, r->>8 from ${all}`,
};

function writeOf(kind: Engine["kind"], statement: Statement, rows: readonly Value[][]): Write {
  return {
    text: statement[kind],
    rows: kind === "postgres" ? [[JSON.stringify(rows)]] : rows,
  };
}

const detailMax = 16_384;
const orderKey = 6_271_106;

function rowOf(event: AuditEvent): Value[] {
  const { at, owner, call, server, tool, actor, outcome, detail } = event;
  return [
    Math.round(at),
    column(owner),
    column(call),
    event.event,
    nullable(server),
    nullable(tool),
    nullable(actor),
    nullable(outcome),
    detail === undefined ? null : bounded(JSON.stringify(detail)),
  ];
}

function bounded(json: string): string {
  if (json.length <= detailMax) return json;
  return JSON.stringify({ cut: clip(json, detailMax / 2) });
}
