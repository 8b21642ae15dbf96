/** Log entries on stderr: which are shown, and how a line looks. It never waits and keeps nothing. */
import { HostError } from "../base/errors.ts";
import type { Log, LogEntry, LogLevel } from "../base/log.ts";
import type { Io } from "./types.ts";
import { visible } from "./visible.ts";

export interface LogOptions {
  /** The least that is shown. */
  level: LogLevel;
  /** Lines of the servers' own stderr are shown too. */
  stderr: boolean;
  /** One JSON object a line. */
  json: boolean;
}

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** @throws HostError `usage` for a level that nobody knows */
export function readLevel(text: string): LogLevel {
  if (text === "warning") return "warn";
  if (Object.hasOwn(ranks, text)) return text as LogLevel;
  throw new HostError("usage", `--log-level ${text}: there is debug, info, warn and error`);
}

/** Writes entries to `io.stderr`. */
export function logTo(io: Pick<Io, "stderr" | "terminal">, options: LogOptions): Log {
  return (entry) => {
    if (!shown(entry, options)) return;
    const line = options.json ? JSON.stringify({ event: "log", ...entry }) : lineOf(entry);
    void io.stderr.write(`${io.terminal.stderr ? visible(line) : line}\n`);
  };
}

// --- internal ---

function shown(entry: LogEntry, options: LogOptions): boolean {
  if (entry.source === "stderr") return options.stderr;
  return ranks[entry.level] >= ranks[options.level];
}

const words: Readonly<Record<LogLevel, string>> = {
  debug: "debug: ",
  info: "",
  warn: "warning: ",
  error: "error: ",
};

/** What a server says carries its name in brackets; what we say begins with ours. */
function lineOf({ level, text, server, source }: LogEntry): string {
  const from = server === undefined ? "" : `[${server}] `;
  if (source === "stderr") return `${from}${text}`;
  if (source === "notification") return `${from}${words[level]}${text}`;
  return `mcphost: ${words[level]}${from}${text}`;
}
