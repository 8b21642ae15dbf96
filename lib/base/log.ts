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
