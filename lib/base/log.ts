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

export interface LogOptions {
  /** Entries below it are left out. */
  level: LogLevel;
  /** Lines of servers' stderr pass whatever the level (`--stderr`). @default false */
  stderr?: boolean;
  /** Takes one entry; entries wait while its promise is pending. A failure is ignored: there is nobody left to tell. */
  write: (entry: LogEntry) => void | Promise<void>;
  /** Entries that wait; more are dropped, and counted in an entry of their own. @default 10000 */
  queueMax?: number;
}

/** A log that keeps the order, is bounded, and never makes anybody wait for a slow reader. */
export function createLog({ level, stderr = false, write, queueMax = 10_000 }: LogOptions): Log {
  const lowest = ranks[level];
  let queue: LogEntry[] = [];
  let dropped = 0;
  let writing: Promise<void> | undefined;

  const tryWrite = (entry: LogEntry): void | Promise<void> => {
    try {
      return write(entry);
    } catch {
      return undefined;
    }
  };
  const drain = async (first: Promise<void>) => {
    await first.catch(() => {});
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      if (dropped > 0) {
        batch.push({ level: "warn", text: `${dropped} log entries were dropped here` });
        dropped = 0;
      }
      for (const entry of batch) await Promise.resolve(tryWrite(entry)).catch(() => {});
    }
    writing = undefined;
  };

  return (entry) => {
    if (ranks[entry.level] < lowest && !(stderr && entry.source === "stderr")) return;
    if (writing !== undefined) {
      if (queue.length < queueMax) queue.push(entry);
      else dropped += 1;
      return;
    }
    const written = tryWrite(entry);
    if (written instanceof Promise) writing = drain(written);
  };
}

// --- internal ---

const ranks: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };
