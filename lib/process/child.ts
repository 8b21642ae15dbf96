/** The types of one child process: what is asked for, what is had, and how it ended. */
import type { Log } from "../base/log.ts";

export interface ChildSpec {
  /** The server's configured name, for messages and logs. */
  name: string;
  command: string;
  args: readonly string[];
  /** The whole environment of the child (see `childEnv`). */
  env: Readonly<Record<string, string>>;
  /** Absolute folder. @default the current folder */
  cwd?: string;
}

export interface ChildOptions {
  log: Log;
  /** Is told of the group before anything can go wrong; undefined where there is no `sh`. */
  reaper: Reaper | undefined;
  /** How long each rung of the stop ladder waits (EOF, then TERM). @default 2000 */
  stopMs?: number;
  /** How much of stderr is kept. @default 65536 */
  stderrTailBytes?: number;
}

/** How a process ended: one of the two is not null. */
export interface ExitInfo {
  exitCode: number | null;
  signal: string | null;
  /** What it started in its group goes on without it. */
  leaves?: true;
}

/** What a stop took. `alive`: it survived SIGKILL (an error, said). */
export interface StopReport {
  rung: "exited" | "eof" | "term" | "kill" | "alive";
  exit: ExitInfo | undefined;
}

/** One running child, in a process group of its own. Disposing stops it by the ladder. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** Raw stdout, in the order written; ends at EOF, or shortly after the exit when somebody else keeps the pipe. One consumer. */
  readonly stdout: AsyncIterable<Uint8Array>;
  /**
   * Writes one whole line to stdin; lines do not mix; resolves when the pipe took it. Undefined: it did at once.
   * @throws HostError `server_exit` when the child closed its stdin or is gone
   */
  write(line: string): Promise<void> | undefined;
  /** We have begun to stop it, or left it to the reaper: its end is no surprise. */
  readonly isLetGo: boolean;
  /** We end in this moment, and the reaper stops it: what was written goes out, and nothing is waited for or closed. */
  letGo(): void;
  /** Resolves when the process is gone (not when its pipes are); never rejects. */
  readonly exited: Promise<ExitInfo>;
  /** The last complete stderr lines, oldest first, and the unfinished one. */
  stderrTail(): string[];
  /** The stop ladder: EOF, wait, TERM to the group, wait, KILL to the group and to descendants that left it. Idempotent. */
  stop(): Promise<StopReport>;
}

/** Ends the groups of our children when we die without doing so (design.md, the reaper). */
export interface Reaper {
  /**
   * A process is about to be started: if we die before `add`, it is known by the variables returned, which belong into
   * its environment. Where there is no /proc it is not known.
   */
  expect(): Readonly<Record<string, string>>;
  /**
   * Guards the group of a child, in this very tick. `onRelease` is called by `release`, to let go of the child; who takes it
   * over adds it again.
   */
  add(pid: number, onRelease?: () => void): void;
  remove(pid: number): void;
  /** Hands the stop of what remains to the reaper process and lets go of it: for a host that leaves at once. */
  release(): void;
}
