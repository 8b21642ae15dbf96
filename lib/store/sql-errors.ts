/**
 * What went wrong with a database, as a small union first (habit: judge in one place), then in words. Reads codes, never
 * messages.
 */
import { HostError, isHostError } from "../base/errors.ts";

/**
 * `busy`: somebody else holds it, another try may help. `lost`: no connection, another try may help. `damaged`: it is no
 * database, or a broken one. `full`: no room. `other`: none of these.
 */
export type Fault = "busy" | "lost" | "damaged" | "full" | "readonly" | "other";

/** What an error of `Bun.SQL` means. */
export function faultOf(error: unknown): Fault {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  if (typeof code !== "string") return "other";
  if (code.startsWith("SQLITE_"))
    return errno === sharedMemoryFull ? "full" : (sqliteFaults[Number(errno) & 0xff] ?? "other");
  if (code === "ERR_POSTGRES_SERVER_ERROR") return postgresFault(String(errno));
  return lostCodes.has(code) ? "lost" : "other";
}

/**
 * The error of a store that could not do what was asked. @param label where it is, without credentials
 * @returns HostError `config`
 */
export function storeError(label: string, fault: Fault, cause: unknown): HostError {
  const { code, errno, message } = (cause ?? {}) as Record<string, unknown>;
  const facts = { store: label, fault, sql: String(errno ?? code ?? "") };
  // Only what a server says: messages of the client may hold addresses.
  const said = code === "ERR_POSTGRES_SERVER_ERROR" ? `: ${String(message)}` : ` (${String(code)})`;
  const [what, hint] = texts[fault];
  const why = fault === "other" || fault === "lost" ? what + said : what;
  return new HostError("config", `the store ${label} ${why}`, { facts, hint, cause });
}

/** True for the error of a store that is damaged. */
export function isDamage(error: unknown): boolean {
  return isHostError(error) && error.facts["fault"] === "damaged";
}

// --- internal ---

const texts: Record<Fault, [string, string]> = {
  busy: ["is locked by another process", "end what holds it, then try again"],
  lost: ["cannot be reached", "start its database, or name another by store in the config"],
  damaged: [
    "is damaged",
    "open it again: the damaged file is then kept beside it, and a new one begun",
  ],
  full: ["has no room left", "make room on its disk, then try again"],
  readonly: ["cannot be written", "its file and folder must belong to you and be writable"],
  other: ["failed", "name another by store in the config if this one is not to be mended"],
};

/** By the primary result code (https://www.sqlite.org/rescode.html). */
const sqliteFaults: Readonly<Record<number, Fault>> = {
  5: "busy",
  6: "busy",
  8: "readonly",
  11: "damaged",
  13: "full",
  14: "readonly",
  15: "busy",
  26: "damaged",
};

/** The one input or output error that a full disk gives: SQLITE_IOERR_SHMSIZE. */
const sharedMemoryFull = 4874;

/** By SQLSTATE class (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
function postgresFault(state: string): Fault {
  // Serialization, deadlock, lock time-out, statement time-out.
  if (["40001", "40P01", "55P03", "57014"].includes(state)) return "busy";
  if (state.startsWith("08") || state.startsWith("57P")) return "lost";
  // Too many connections: some end.
  if (state === "53300") return "lost";
  if (state === "53100") return "full";
  if (state === "25006" || state === "42501") return "readonly";
  return state.startsWith("XX") ? "damaged" : "other";
}

const lostCodes: ReadonlySet<string> = new Set([
  "ERR_POSTGRES_CONNECTION_CLOSED",
  "ERR_POSTGRES_CONNECTION_REFUSED",
  "ERR_POSTGRES_CONNECTION_TIMEOUT",
  "ERR_POSTGRES_CONNECTION_FAILED",
  "ERR_POSTGRES_IDLE_TIMEOUT",
  "ERR_POSTGRES_LIFETIME_TIMEOUT",
]);
