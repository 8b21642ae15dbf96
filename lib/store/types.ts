/** The durable rows: approvals, grants, what is on its way, the audit log; and the store that holds them. Types only. */
import type { JsonObject } from "../base/json.ts";

/**
 * `pending → approved → running → completed | failed`; or it ends as `rejected`, `expired` (nobody decided in time),
 * `cancelled` (nobody wants it any more), `uncertain` (it was sent, and nothing says what became of it).
 */
export type ApprovalState =
  | "pending"
  | "approved"
  | "running"
  | "completed"
  | "failed"
  | "rejected"
  | "expired"
  | "cancelled"
  | "uncertain";

/** A call that was asked about. All times are milliseconds since the epoch. */
export interface Approval {
  /** Of the call. */
  id: string;
  owner: string;
  state: ApprovalState;
  server: string;
  /** The server's own name. */
  tool: string;
  actor: string;
  /** Of the host or client in which the call was made: what "always for this session" is bound to. */
  session: string;
  /** Why it was asked about. */
  question: string;
  /** As they were asked for. */
  proposed: JsonObject;
  /** As they were approved; absent until then. */
  effective?: JsonObject;
  /** Hashes of the tool's definition and of the server's configuration, as they were when it was asked. */
  definition: string;
  config: string;
  /** It waits on when the process that asked ends: another takes it over. */
  survives: boolean;
  createdAt: number;
  /** A decision after that comes too late. */
  expiresAt: number;
  /** What else was allowed with it; whoever runs it makes a grant of that. */
  always?: Always;
  decidedAt?: number;
  /** Who or what decided, such as `terminal`. */
  decidedBy?: string;
  /** Why it was rejected or given up, or what an acknowledgement said. */
  reason?: string;
  endedAt?: number;
  /** What came of it, in a few words. */
  result?: string;
}

/** What a new approval is made of. */
export type NewApproval = Omit<
  Approval,
  | "state"
  | "effective"
  | "always"
  | "createdAt"
  | "decidedAt"
  | "decidedBy"
  | "reason"
  | "endedAt"
  | "result"
>;

export type Decision =
  | { approve: true; arguments: JsonObject; always?: Always | undefined }
  | { approve: false; reason: string };

/** More than the one call: the tool, the tool with these arguments, the server, or the tool in this session. */
export interface Always {
  what: "tool" | "arguments" | "server" | "session";
  /** For how long. @default until it is revoked */
  forMs?: number;
}

/** An "always": what calls may be made without asking again. */
export interface Grant {
  id: string;
  owner: string;
  server: string;
  /** Absent: every tool of the server that `definitions` names. */
  tool?: string;
  /** Absent: whatever the arguments. As canonical JSON. */
  arguments?: string;
  /** Absent: in every session. */
  session?: string;
  /** Hash of the server's configuration: another server of that name has no grant. */
  config: string;
  /** By tool, the hash of its definition: one that changed is asked about anew. */
  definitions: Readonly<Record<string, string>>;
  createdAt: number;
  expiresAt?: number;
  /** Who or what gave it. */
  grantedBy: string;
}

/** A server as approvals and grants know it. */
export interface ServerKey {
  name: string;
  /** Hash of its configuration. */
  config: string;
}

export type NewGrant = Omit<Grant, "id" | "createdAt">;

/** A call that was sent, or is about to be, and has no answer. */
export interface JournalEntry {
  /** The call's id. */
  id: string;
  owner: string;
  server: string;
  tool: string;
  /** `prepared`: nothing was sent. `uncertain`: it was sent, and whoever waited for it is gone. */
  state: "prepared" | "sent" | "uncertain";
  at: number;
}

/** Rows of one call share its id in `call`. */
export interface AuditEvent {
  at: number;
  owner: string;
  /** The call, or what else the event is about. */
  call: string;
  event:
    | "proposed"
    | "decided"
    | "sent"
    | "answered"
    | "failed"
    | "granted"
    | "revoked"
    | "acknowledged"
    | "refused";
  server?: string;
  tool?: string;
  actor?: string;
  /** Of `decided`, `answered` and `failed`. */
  outcome?: string;
  /** More: reasons, durations, sizes. At most 16 KiB as JSON, else it is cut. */
  detail?: JsonObject;
}

/** As it is read back: `seq` only goes up. */
export type AuditRow = AuditEvent & { seq: number };

/** Who holds calls: one open store of one process. */
export interface Holder {
  id: string;
  /** Of the machine's start; empty where it is not known. */
  boot: string;
  /** In which `pid` means something; empty where it is not known. */
  space: string;
  pid: number;
  /** When the process began, in the system's own words; empty where it is not known. */
  start: string;
}
