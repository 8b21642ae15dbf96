/**
 * Ends the process groups of our servers when we die without doing so (`kill -9`, a crash) or leave at once on purpose.
 * One tiny `sh` per host, in a session of its own, reads group ids from a pipe that only we hold; at end of file it
 * waits for the groups to go by themselves, then TERM, then KILL, to their descendants that left them too. It never
 * touches a group that is not ours.
 */
import type { Reaper } from "./child.ts";
import { script } from "./reaper-script.ts";

export interface ReaperOptions {
  /** How long each rung waits (EOF, TERM), in steps of 100. @default 2000 */
  stopMs?: number;
  /** The argv of a POSIX shell. @default ["/bin/sh"] */
  shell?: readonly string[];
}

/** Where the system keeps its own programs, whatever our PATH is. */
export const systemPath = "/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin";

/** Starts the reaper; undefined where there is no shell (Windows, distroless). It does not keep our event loop alive. */
export function startReaper(options: ReaperOptions = {}): Reaper | undefined {
  const { stopMs = 2000, shell = ["/bin/sh"] } = options;
  // No other reaper has the same, in this process or another. In 32 bits: the text of what has more takes longer to make.
  const mark = `${process.pid}-${Date.now() | 0}-${Bun.nanoseconds() | 0}`;
  const proc = spawnShell(shell, [String(Math.ceil(stopMs / 100)), `${markName}=${mark}`]);
  if (proc === undefined) return undefined;
  proc.unref();
  const letGo = new Map<number, (() => void) | undefined>();
  let released = false;
  return {
    expect() {
      if (!released) tell(proc.stdin, "?\n");
      return { [markName]: mark };
    },
    add(pid, onRelease) {
      if (released) return;
      if (!letGo.has(pid)) tell(proc.stdin, `+ ${pid}\n`);
      letGo.set(pid, onRelease);
    },
    remove(pid) {
      if (letGo.delete(pid) && !released) tell(proc.stdin, `- ${pid}\n`);
    },
    release() {
      if (released) return;
      released = true;
      for (const onRelease of letGo.values()) onRelease?.();
      close(proc.stdin);
    },
  };
}

// --- internal ---

/** The variable that tells a process of ours from others, in the moment before its number is known. */
const markName = "MCPHOST_REAPER";

function spawnShell(shell: readonly string[], args: readonly string[]) {
  if (process.platform === "win32") return undefined;
  try {
    // By `eval`, so that a list of processes shows a name and not the whole script.
    return Bun.spawn([...shell, "-c", 'eval "$REAPER"', "mcphost-reaper", ...args], {
      env: { PATH: systemPath, REAPER: script },
      cwd: "/",
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
  } catch {
    return undefined;
  }
}

/** Hands a line over in this very tick. A reaper that somebody killed is no reason to fail. */
function tell(stdin: Bun.FileSink, line: string): void {
  try {
    ignore(stdin.write(line));
    ignore(stdin.flush());
  } catch {
    // It is gone.
  }
}

function close(stdin: Bun.FileSink): void {
  try {
    ignore(stdin.end());
  } catch {
    // It is gone.
  }
}

function ignore(result: unknown): void {
  if (result instanceof Promise) result.catch(() => {});
}
