/** Log entries as values, and what takes them. Nothing here prints. */

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogEntry {
  level: LogLevel;
  text: string;
  /** The server that the entry is about, by its configured name. */
  server?: string;
  /** What the text tells, for programs. */
  facts?: Readonly<Record<string, unknown>>;
  /** `stderr`: a line of the server's own stderr; `notification`: a log notification; absent: ours. */
  source?: "stderr" | "notification";
}

/** Takes one entry; never throws, never waits. */
export interface Log {
  (entry: LogEntry): void;
  /** The least level that it does anything with. @default "debug" */
  least?: LogLevel;
}

export const silent: Log = () => {};
silent.least = "error";

/** Somebody wants to know each step of ours. */
export function isDebug(log: Log): boolean {
  return (log.least ?? "debug") === "debug";
}

/** Logs a step of ours for whoever wants to know each; where nobody does, its text is never made. */
export function debug(log: Log, server: string | undefined, text: () => string): void {
  if (!isDebug(log)) return;
  log({ level: "debug", text: text(), ...(server !== undefined && { server }) });
}

/** Milliseconds since `startedAt` (on the clock of `performance.now`), in words. */
export function since(startedAt: number): string {
  return `${Math.round(performance.now() - startedAt)} ms`;
}

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
