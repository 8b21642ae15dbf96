/** Steps of calls as rows of the journal and of the audit log, all of a batch at once. Pure. */
import { clip } from "../base/clip.ts";
import type { Db, Value, Write } from "./db.ts";
import { column, nullable } from "./rows.ts";
import { doubt, inOrder, note, open, settle, writesOver } from "./statements.ts";
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
  const opened: Value[] = [];
  const uncertain: Value[] = [];
  const settled: Value[] = [];
  const events: Value[] = [];
  for (const step of steps) {
    if (step.settled !== undefined) settled.push(step.settled);
    if (step.settled !== undefined) over.add(step.settled);
    if (step.uncertain !== undefined) uncertain.push(step.uncertain);
    if (step.events !== undefined) for (const event of step.events) addRow(events, event);
  }
  for (const { sent } of steps) {
    if (sent === undefined || over.has(sent.id)) continue;
    const { id, owner, server, tool } = sent;
    opened.push(id, column(owner), column(server), column(tool), holder, now);
  }
  return [
    ...writesOver(kind, open, opened),
    ...writesOver(kind, doubt, uncertain),
    ...writesOver(kind, settle, settled),
    ...(events.length > 0 && kind === "postgres" ? [inOrder] : []),
    ...writesOver(kind, note, events),
  ];
}

// --- internal ---

const detailMax = 16_384;

/** As `note` has it. */
function addRow(
  values: Value[],
  { at, owner, call, event, server, tool, actor, outcome, detail }: AuditEvent,
): void {
  values.push(
    Math.round(at),
    column(owner),
    column(call),
    event,
    nullable(server),
    nullable(tool),
    nullable(actor),
    nullable(outcome),
    detail === undefined ? null : bounded(JSON.stringify(detail)),
  );
}

function bounded(json: string): string {
  if (json.length <= detailMax) return json;
  return JSON.stringify({ cut: clip(json, detailMax / 2) });
}
