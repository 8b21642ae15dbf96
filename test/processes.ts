/** Waiting for conditions, and counting the processes that something left behind. */
import { readdirSync, readFileSync } from "node:fs";

/** Waits until `condition` holds. @throws when it does not within `timeoutMs` (10 s) */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string) = "the condition",
  timeoutMs = 10_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) {
      const text = typeof what === "string" ? what : what();
      throw new Error(`waited ${timeoutMs} ms for ${text}`);
    }
    await Bun.sleep(10);
  }
}

/** Processes, zombies left out, whose environment or arguments hold the marker; ourselves never counted. */
export async function liveProcesses(marker: string): Promise<{ pid: number; command: string }[]> {
  const all = process.platform === "linux" ? fromProc(marker) : await fromPs(marker);
  return all.filter(({ pid }) => pid !== process.pid);
}

/** Waits until no process carries the marker: nothing was left running. */
export async function nothingLeft(marker: string, timeoutMs = 10_000): Promise<void> {
  let left: number[] | undefined;
  await waitFor(
    async () => {
      // A look at all of them is dear, and most of these waits are for one that needs seconds: those that were found are
      // asked alone until they are gone, then all are looked at again.
      if (left?.some(mayLive)) return false;
      left = (await liveProcesses(marker)).map(({ pid }) => pid);
      return left.length === 0;
    },
    `processes of ${marker} to end`,
    timeoutMs,
  );
}

// --- internal ---

function fromProc(marker: string) {
  const found: { pid: number; command: string }[] = [];
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    // A kernel thread, a zombie and one that is gone have no words.
    const command = ofProc(entry, "cmdline");
    if (command === "") continue;
    if (!command.includes(marker) && !ofProc(entry, "environ").includes(marker)) continue;
    if (!runs(entry)) continue;
    found.push({ pid: Number(entry), command: command.replaceAll("\0", " ").trim() });
  }
  return found;
}

/** Where only `ps` can tell, all are looked at each time. */
function mayLive(pid: number): boolean {
  return process.platform === "linux" && runs(pid);
}

/** It is there, and no zombie. */
function runs(pid: number | string): boolean {
  const stat = ofProc(pid, "stat");
  return stat !== "" && !/\) [ZX] /.test(stat);
}

/** A process may end, or not be ours to read, at any moment: then it is empty. */
function ofProc(pid: number | string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

async function fromPs(marker: string) {
  const ps = Bun.spawn(["ps", "-Aww", "-E", "-o", "pid=", "-o", "stat=", "-o", "command="], {
    stdout: "pipe",
  });
  const lines = (await ps.stdout.text()).split("\n");
  return lines
    .map((line) => /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .filter(([, , stat, command]) => command!.includes(marker) && !stat!.startsWith("Z"))
    .map(([, pid, , command]) => ({ pid: Number(pid), command: command! }));
}
