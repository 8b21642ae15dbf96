/** What every command is given, and what a command is. Commands translate: arguments → one host call → print. */
import type { HostError } from "../base/errors.ts";
import type { HeldLog, Log } from "../base/log.ts";
import type { Verdict } from "../client/connect-types.ts";
import type { Child, Reaper } from "../process/child.ts";
import type { AheadFetch } from "../transport/ahead-fetch.ts";
import type { Secrets } from "./secrets.ts";

/** The world outside, handed in so that `main` can be tested. */
export interface Io {
  env: Record<string, string | undefined>;
  cwd: string;
  /** Aborted by SIGINT, SIGTERM, SIGHUP or `--max-time`, with a `HostError` as its reason. */
  signal: AbortSignal;
  /** Every byte reaches a slow reader. @throws HostError `output`; a reader that left (EPIPE) ends quietly */
  stdout: Sink;
  /** Bounded and never waited for. */
  stderr: Sink;
  terminal: Terminal;
  /** The whole of stdin; only read when asked for, and once. */
  readStdin(): Promise<Uint8Array>;
  /** Ends the command as Ctrl-C does, or for a reason of its own: for where a terminal in raw mode gives a key and no signal. */
  interrupt?: (reason?: HostError) => void;
  /** From now on a SIGHUP does this, and does not end the command, until disposed. */
  onHangup?: (action: () => void) => Disposable;
  /** One line that stays below what is written to a terminal's stderr; undefined takes it away. Absent elsewhere. */
  status?: (line: string | undefined) => void;
  /** While a question is open: nothing else is written to the terminal until the returned function is called. */
  hold?: () => () => void;
  /** Values that must never be shown: what is written to stderr is redacted by them. */
  secrets?: Secrets;
  /** All commands by name, in the order in which they are listed; for the one that speaks of the others (completion). */
  commands?: CommandTable;
}

/** Which of the standard streams are terminals. */
export interface Terminal {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  /** Of the terminal that is written to; 80 where nothing says it. */
  readonly columns: number;
}

/** Commands that are imported when they are named. */
export type CommandTable = Readonly<Record<string, () => Promise<{ default: Command }>>>;

export interface Sink {
  write(data: string | Uint8Array): Promise<void>;
  /** True once the reader has left. */
  readonly closed: boolean;
}

/** One flag or positional of a command: citty's shape (so that citty renders the usage), and `repeat`. */
export interface FlagDef {
  type: "string" | "boolean" | "positional";
  alias?: string[];
  description: string;
  valueHint?: string;
  /** May be given more than once: its value is a list. */
  repeat?: boolean;
  required?: boolean;
  /** `--name` alone stands for this value (`--flag` with an optional value is not used otherwise). */
  default?: string | boolean;
}

export type FlagTable = Record<string, FlagDef>;

/** A checked command line: every flag is known, every value is there. */
export interface Parsed {
  flags: Record<string, string | boolean | string[] | undefined>;
  positionals: string[];
  /** Everything after `--`; undefined where there was no `--`. */
  rest: string[] | undefined;
}

/** A server that runs already, and the reaper that knows of it; or one that was asked already. The host takes them over. */
export type EarlyStart = {
  /** What is to be logged of it, until there is a log. */
  log: HeldLog;
  /** By what it was spoken with. @default it was not */
  known?: KnownEra | undefined;
  /** The config that says how it is started, where it was read for that: it may be another one by now. */
  config?: ReadConfig | undefined;
} & (EarlyChild | { asked: AheadFetch });

/** What was remembered of a server when it was first spoken with; another run may have learned more by now. */
export interface KnownEra {
  key: string;
  verdict: Verdict | undefined;
}

/** A config file that was read. */
export interface ReadConfig {
  /** Whole. */
  path: string;
  text: string;
}

export interface EarlyChild {
  /** Its configured name. */
  server: string;
  child: Child;
  reaper: Reaper | undefined;
}

export interface Command {
  name: string;
  description: string;
  /** One command line that works, shown by `--help`. */
  example: string;
  /** Positionals in order, e.g. `TOOL [ARG…]`, for the usage line. */
  usage: string;
  flags: FlagTable;
  /** A signal aborts `io.signal` and nothing more: the command ends when it likes, and its status stands (tee). */
  endsItself?: boolean;
  /** Nothing but Ctrl-C is meant to end it: the status that it returns then stands, and is no error to tell of. */
  isEndless?: boolean;
  /**
   * Starts what takes its time, before the world is made. Must do so only where the line cannot be wrong any more.
   * @throws HostError `usage`
   */
  early?(parsed: Parsed, env: Io["env"]): Promise<EarlyStart | undefined>;
  /** Returns the exit status. @throws HostError, rendered by `main` */
  run(parsed: Parsed, io: Io, log: Log, early?: EarlyStart): Promise<number>;
}
