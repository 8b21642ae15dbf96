/** Rows as they lie in the tables, to values and back. Pure. */
import { parseJson } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Always, Approval, AuditRow, Grant, JournalEntry } from "./types.ts";

/** A row as a database gives it: Postgres gives large numbers as text. */
export type Row = Readonly<Record<string, unknown>>;

export function approvalOf(row: Row): Approval {
  return {
    id: text(row["id"]),
    owner: text(row["owner"]),
    state: text(row["state"]) as Approval["state"],
    server: text(row["server"]),
    tool: text(row["tool"]),
    actor: text(row["actor"]),
    session: text(row["session"]),
    question: text(row["question"]),
    proposed: objectOf(row["proposed"]),
    definition: text(row["definition"]),
    config: text(row["config"]),
    survives: Number(row["survives"]) === 1,
    createdAt: Number(row["created_at"]),
    expiresAt: Number(row["expires_at"]),
    ...present({
      effective: row["effective"] == null ? undefined : objectOf(row["effective"]),
      always: row["always"] == null ? undefined : alwaysOf(row["always"]),
      decidedAt: number(row["decided_at"]),
      decidedBy: optional(row["decided_by"]),
      reason: optional(row["reason"]),
      endedAt: number(row["ended_at"]),
      result: optional(row["result"]),
    }),
  };
}

export function grantOf(row: Row): Grant {
  return {
    id: text(row["id"]),
    owner: text(row["owner"]),
    server: text(row["server"]),
    config: text(row["config"]),
    definitions: objectOf(row["definitions"]) as Record<string, string>,
    createdAt: Number(row["created_at"]),
    grantedBy: text(row["granted_by"]),
    ...present({
      tool: optional(row["tool"]),
      arguments: optional(row["arguments"]),
      session: optional(row["session"]),
      expiresAt: number(row["expires_at"]),
    }),
  };
}

export function journalOf(row: Row): JournalEntry {
  return {
    id: text(row["id"]),
    owner: text(row["owner"]),
    server: text(row["server"]),
    tool: text(row["tool"]),
    state: text(row["state"]) as JournalEntry["state"],
    at: Number(row["at"]),
  };
}

export function auditOf(row: Row): AuditRow {
  return {
    seq: Number(row["seq"]),
    at: Number(row["at"]),
    owner: text(row["owner"]),
    call: text(row["call"]),
    event: text(row["event"]) as AuditRow["event"],
    ...present({
      server: optional(row["server"]),
      tool: optional(row["tool"]),
      actor: optional(row["actor"]),
      outcome: optional(row["outcome"]),
      detail: row["detail"] == null ? undefined : objectOf(row["detail"]),
    }),
  };
}

/** As a column takes it: Postgres has no NUL in text, and neither has halves of characters. */
export function column(value: string): string {
  if (plain.test(value)) return value;
  return value.replaceAll("\0", "\uFFFD").toWellFormed();
}

/** As `column`, for one that may be empty. */
export function nullable(value: string | undefined): string | null {
  return value === undefined ? null : column(value);
}

/** A time to come as a column takes it: no later than a `Date` can be, or nobody could show it. */
export function later(at: number): number {
  return Math.min(Math.round(at), 8_640_000_000_000_000);
}

// --- internal ---

/** Nearly all are. */
const plain = /^[ -~]*$/;

function alwaysOf(value: unknown): Always {
  return JSON.parse(text(value)) as Always;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function optional(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** Digits that a double cannot hold are kept. */
function objectOf(value: unknown): JsonObject {
  return parseJson(text(value)) as JsonObject;
}

/** Without the keys that have no value. */
function present<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
