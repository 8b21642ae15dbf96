/** Events of the audit log as lines: JSON for programs, columns for people. Pure. */
import type { AuditEvent } from "../store/types.ts";
import { visibleLine } from "./visible.ts";

/** One JSON object: what it is about first, what is particular to the event last. */
export function auditLine({ at, detail, ...event }: AuditEvent): string {
  return JSON.stringify({ at: new Date(at).toISOString(), ...event, ...(detail && { detail }) });
}

/** One line for people, without control characters; not yet cut to a width. */
export function auditText(event: AuditEvent): string {
  const { at, call, actor, owner, server, tool, outcome, detail = {} } = event;
  const what = tool === undefined ? (server ?? "") : `${server ?? "?"}.${tool}`;
  const who = owner === "default" ? (actor ?? "") : `${actor ?? ""} of ${owner}`.trim();
  const said = [outcome, ...particulars(detail)].filter(
    (part) => part !== undefined && part !== "",
  );
  const columns = [localTime(at), event.event.padEnd(8), call.slice(0, 8).padEnd(8), what, who];
  return visibleLine([...columns, said.join(", ")].join("  ").trimEnd());
}

/** A time as a person here reads it, by the zone of the machine. */
export function localTime(at: number): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

// --- internal ---

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function particulars(detail: NonNullable<AuditEvent["detail"]>): string[] {
  const { durationMs, bytes, message, by, question, reason, arguments: args } = detail;
  const texts: string[] = [];
  if (typeof durationMs === "number") texts.push(`${Math.round(durationMs)} ms`);
  if (typeof bytes === "number") texts.push(`${bytes} bytes`);
  if (typeof by === "string") texts.push(`by ${by}`);
  for (const text of [question, reason, message]) if (typeof text === "string") texts.push(text);
  if (args !== undefined) texts.push(JSON.stringify(args));
  return texts;
}
