/** Log entries on stderr: which are shown, and how a line looks. It never waits and keeps nothing. */
import { HostError } from "../base/errors.ts";
import type { Log, LogEntry, LogLevel } from "../base/log.ts";
import { withFlag } from "./flag-hints.ts";
import type { Io } from "./types.ts";
import { hanging, visible } from "./visible.ts";

export interface LogOptions {
  /** The least that is shown. */
  level: LogLevel;
  /** Lines of the servers' own stderr are shown too. */
  stderr: boolean;
  /** One JSON object a line: all that stands on stderr is meant for a program. */
  json: boolean;
}

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** @throws HostError `usage` for a level that nobody knows */
export function readLevel(text: string): LogLevel {
  if (text === "warning") return "warn";
  if (Object.hasOwn(ranks, text)) return text as LogLevel;
  throw new HostError("usage", `--log-level ${text}: there is debug, info, warn and error`);
}

/** Writes entries to `io.stderr`; a warning of ours that comes twice on end is said once. */
export function logTo(io: Pick<Io, "stderr" | "terminal">, options: LogOptions): Log {
  let last = "";
  const log: Log = (entry) => {
    if (!shown(entry, options)) return;
    if (entry.level === "warn" && entry.source === undefined) {
      const before = last;
      last = `${entry.server ?? ""}\n${entry.text}`;
      if (last === before) return;
    } else last = "";
    const { facts, ...rest } = entry;
    if (options.json) writeEvent(io, { event: "log", ...facts, ...rest });
    else writeLine(io, lineOf(entry));
  };
  log.least = options.level;
  return log;
}

/** One event as a JSON line on stderr, whatever it tells of (`--events`, `--json`). */
export function writeEvent(
  io: Pick<Io, "stderr" | "terminal">,
  event: { event: "log" | "progress"; [fact: string]: unknown },
): void {
  writeLine(io, JSON.stringify(event));
}

// --- internal ---

function writeLine({ stderr, terminal }: Pick<Io, "stderr" | "terminal">, line: string): void {
  const entry = hanging(line);
  void stderr.write(`${terminal.stderr ? visible(entry) : entry}\n`);
}

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
function lineOf({ level, text, server, source, facts = {} }: LogEntry): string {
  const from = server === undefined ? "" : `[${server}] `;
  if (source === "stderr") return `${from}${text}`;
  if (source === "notification") return `${from}${words[level]}${text}`;
  // Since we were started: where the time went is what such a line is read for.
  const at = level === "debug" ? `+${Math.round(performance.now())} ms ` : "";
  return `mcphost: ${words[level]}${at}${from}${withFlag(text, facts)}`;
}
