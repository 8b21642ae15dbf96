/**
 * The system's table of processes, as far as stopping a server needs it: from /proc, elsewhere from `ps`. Only read when
 * a server did not end by itself.
 */

import { systemPath } from "./reaper.ts";

/** One process. Id and start time together name it for ever. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  /** In whatever unit the system tells it. */
  start: string;
  /** Dead, and only waiting for its parent to look. */
  isZombie: boolean;
}

/** All processes that we may see; undefined where there is neither /proc nor `ps`. */
export async function readProcesses(): Promise<ProcessRow[] | undefined> {
  return (await fromProc()) ?? (await readByPs());
}

/** The same by `ps` alone. @param path where it is looked for */
export async function readByPs(path = systemPath): Promise<ProcessRow[] | undefined> {
  try {
    const proc = Bun.spawn(["ps", "-A", ...columns], {
      // Times are told apart as text: the same in every language and zone.
      env: { PATH: path, LC_ALL: "C", TZ: "UTC0" },
      stdout: "pipe",
      stderr: "ignore",
    });
    const lines = (await proc.stdout.text()).split("\n");
    const rows = lines.map(parsePs).filter((row) => row !== undefined);
    return rows.length === 0 ? undefined : rows;
  } catch {
    return undefined;
  }
}

/** One `/proc/PID/stat`. The name in brackets may hold anything, so everything counts from the last bracket. */
export function parseStat(pid: number, stat: string): ProcessRow | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const start = fields[19];
  if (state === undefined || start === undefined) return undefined;
  return { pid, parent: Number(parent), group: Number(group), start, isZombie: isDead(state) };
}

/** One line of `ps`, by `columns`. */
export function parsePs(line: string): ProcessRow | undefined {
  const [pid, parent, group, state, ...start] = line.trim().split(/\s+/);
  if (state === undefined) return undefined;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    start: start.join(" "),
    isZombie: isDead(state),
  };
}

// --- internal ---

/** Each by an option of its own: what stands behind a `=` is one title to the `ps` of macOS and the BSDs, commas and all. */
const columns = ["pid=", "ppid=", "pgid=", "state=", "lstart="].flatMap((one) => ["-o", one]);

function isDead(state: string): boolean {
  return state.startsWith("Z") || state.startsWith("X");
}

async function fromProc(): Promise<ProcessRow[] | undefined> {
  const { readdirSync, readFileSync } = await import("node:fs");
  const rows: ProcessRow[] = [];
  try {
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const row = parseStat(Number(name), readFileSync(`/proc/${name}/stat`, "latin1"));
        if (row !== undefined) rows.push(row);
      } catch {
        // It ended while we looked.
      }
    }
  } catch {
    return undefined;
  }
  return rows.length === 0 ? undefined : rows;
}
