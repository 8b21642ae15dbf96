/** Waiting for conditions, and counting the processes that something left behind. */
import { readdir, readFile } from "node:fs/promises";

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
  const all = process.platform === "linux" ? await fromProc(marker) : await fromPs(marker);
  return all.filter(({ pid }) => pid !== process.pid);
}

/** Waits until no process carries the marker: nothing was left running. */
export async function nothingLeft(marker: string, timeoutMs = 10_000): Promise<void> {
  await waitFor(
    async () => (await liveProcesses(marker)).length === 0,
    `processes of ${marker} to end`,
    timeoutMs,
  );
}

// --- internal ---

async function fromProc(marker: string) {
  const found: { pid: number; command: string }[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    // A process may end, or not be ours to read, at any moment: then it does not count.
    const read = (name: string) => readFile(`/proc/${entry}/${name}`, "utf8").catch(() => "");
    const [command, env, stat] = await Promise.all([
      read("cmdline"),
      read("environ"),
      read("stat"),
    ]);
    if (!command.includes(marker) && !env.includes(marker)) continue;
    if (/\) [ZX] /.test(stat)) continue;
    found.push({ pid: Number(entry), command: command.replaceAll("\0", " ").trim() });
  }
  return found;
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
