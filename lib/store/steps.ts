/** Steps of calls as rows of the journal and of the audit log, all of a batch at once. */
import { clip } from "../base/clip.ts";
import type { Db, Transaction } from "./db.ts";
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
export async function insertSteps(
  tx: Transaction,
  steps: readonly JournalStep[],
  { holder, db }: { holder: string; db: Db },
): Promise<void> {
  const ofAll = <T>(part: (step: JournalStep) => T | undefined): T[] =>
    steps.map(part).filter((value) => value !== undefined);
  const settled = ofAll((step) => step.settled);
  const now = db.now();
  // One that was sent and settled within the batch was never open.
  const over = new Set(settled);
  const opened = ofAll((step) => step.sent).filter(({ id }) => !over.has(id));
  if (opened.length > 0) {
    const rows = opened.map((entry) => ({
      id: entry.id,
      owner: column(entry.owner),
      server: column(entry.server),
      tool: column(entry.tool),
      state: "sent",
      holder,
      at: now,
    }));
    await tx`insert into mcphost_journal ${tx(rows)}
      on conflict (id) do update set state = 'sent', at = excluded.at`;
  }
  const uncertain = ofAll((step) => step.uncertain);
  if (uncertain.length > 0)
    await tx`update mcphost_journal set state = 'uncertain' where id in ${tx(uncertain)}`;
  if (settled.length > 0) await tx`delete from mcphost_journal where id in ${tx(settled)}`;
  const events = ofAll((step) => step.events).flat();
  if (events.length === 0) return;
  // In the order of their numbers, so that who follows the log misses none.
  if (db.engine.kind === "postgres") await tx`select pg_advisory_xact_lock(${orderKey})`;
  await tx`insert into mcphost_audit ${tx(events.map(rowOf))}`;
}

// --- internal ---

const detailMax = 16_384;
const orderKey = 6_271_106;

function rowOf(event: AuditEvent) {
  const { at, owner, call, server, tool, actor, outcome, detail } = event;
  return {
    at: Math.round(at),
    owner: column(owner),
    call: column(call),
    event: event.event,
    server: nullable(server),
    tool: nullable(tool),
    actor: nullable(actor),
    outcome: nullable(outcome),
    detail: detail === undefined ? null : bounded(JSON.stringify(detail)),
  };
}

function bounded(json: string): string {
  if (json.length <= detailMax) return json;
  return JSON.stringify({ cut: clip(json, detailMax / 2) });
}
