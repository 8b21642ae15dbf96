/**
 * A child's process group, and those of its descendants that left it. It signals and looks; when to do which is the
 * stop ladder's part. On Windows, where there are no groups, it is the tree of `taskkill`.
 */
import { type ProcessRow, readProcesses } from "./table.ts";

/** What the stop ladder works on. */
export interface Tree {
  /** Is any process of it alive? */
  isAlive(): Promise<boolean>;
  /** Finds what left the group, then signals all. */
  signal(name: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** Does the group still have a process, alive or zombie? Costs one system call. */
export function groupExists(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // there, but of another user
  }
}

/** The group that the child `pid` leads; `hasExited` says whether the child itself is gone (and its number perhaps given away). */
export function processTree(pid: number, hasExited: () => boolean): Tree {
  return process.platform === "win32" ? new WindowsTree(pid, hasExited) : new Group(pid, hasExited);
}

/**
 * Processes below the group or `known` that are outside the group, `known` included while alive. A child of somebody
 * who is gone has a new parent and cannot be found: hence it is looked for before the first signal, and kept.
 */
export function strays(
  table: readonly ProcessRow[],
  group: number,
  known: readonly ProcessRow[],
): ProcessRow[] {
  const isKnown = (row: ProcessRow) =>
    known.some(({ pid, start }) => pid === row.pid && start === row.start);
  const found = new Map<number, ProcessRow>();
  for (const row of table) if (row.group === group || isKnown(row)) found.set(row.pid, row);
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const row of table) if (found.has(row.parent)) found.set(row.pid, row);
  }
  return [...found.values()].filter((row) => row.group !== group && !row.isZombie);
}

// --- internal ---

class Group implements Tree {
  readonly #pid: number;
  readonly #hasExited: () => boolean;
  #strays: ProcessRow[] = [];
  /** Once gone, the number may be somebody else's: never looked at or signalled again. */
  #isOver = false;

  constructor(pid: number, hasExited: () => boolean) {
    this.#pid = pid;
    this.#hasExited = hasExited;
  }

  async isAlive(): Promise<boolean> {
    if (!this.#hasExited()) return true;
    if (!this.#isOurs() && this.#strays.length === 0) return false;
    const table = await readProcesses();
    if (table === undefined) return this.#isOurs();
    const isStray = (row: ProcessRow) =>
      this.#strays.some(({ pid, start }) => pid === row.pid && start === row.start);
    const hasGroup = this.#isOurs();
    return table.some(
      (row) => !row.isZombie && ((hasGroup && row.group === this.#pid) || isStray(row)),
    );
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    const table = (await readProcesses()) ?? [];
    const hasGroup = this.#isOurs();
    this.#strays = strays(table, hasGroup ? this.#pid : Number.NaN, this.#strays);
    if (hasGroup) kill(-this.#pid, name);
    for (const { pid } of this.#strays) kill(pid, name);
  }

  #isOurs(): boolean {
    if (this.#isOver) return false;
    // When our child is gone, a process with its number is another's, and so is the group.
    this.#isOver = !groupExists(this.#pid) || (this.#hasExited() && exists(this.#pid));
    return !this.#isOver;
  }
}

class WindowsTree implements Tree {
  readonly #pid: number;
  readonly #hasExited: () => boolean;

  constructor(pid: number, hasExited: () => boolean) {
    this.#pid = pid;
    this.#hasExited = hasExited;
  }

  async isAlive(): Promise<boolean> {
    return !this.#hasExited();
  }

  async signal(): Promise<void> {
    try {
      await Bun.spawn(["taskkill", "/PID", String(this.#pid), "/T", "/F"], {
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
        windowsHide: true,
      }).exited;
    } catch {
      // No taskkill: what is alive is reported as such.
    }
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone, or not ours to end: the next look tells.
  }
}
