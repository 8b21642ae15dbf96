/** Log entries as values, and what takes them. Nothing here prints. */

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogEntry {
  level: LogLevel;
  text: string;
  /** The server that the entry is about, by its configured name. */
  server?: string;
  /** `stderr`: a line of the server's own stderr; `notification`: a log notification; absent: ours. */
  source?: "stderr" | "notification";
}

/** Takes one entry; never throws, never waits. */
export type Log = (entry: LogEntry) => void;

export const silent: Log = () => {};

/** A log for what begins before there is one. */
export interface HeldLog {
  log: Log;
  /** Hands on what was held, and everything from now on. */
  passTo(log: Log): void;
}

/** Holds entries, at most 1,000 of them, until it is told where they go. */
export function heldLog(): HeldLog {
  const held: LogEntry[] = [];
  let to: Log = (entry) => {
    if (held.length < 1000) held.push(entry);
  };
  return {
    log: (entry) => to(entry),
    passTo(log) {
      to = log;
      for (const entry of held.splice(0)) log(entry);
    },
  };
}
