/**
 * The stop ladder: end of file, wait; TERM, wait; KILL, wait; and a report of how far it had to climb. Each rung waits
 * for the whole tree of a server, not only for the process that we started. It signals only through `Tree`.
 */
import { settlesWithin } from "../base/async.ts";
import type { ExitInfo, StopReport } from "./child.ts";
import type { Tree } from "./group.ts";

export interface StopTarget {
  tree: Tree;
  exited: Promise<ExitInfo>;
  /** Undefined while the child lives. */
  exit: () => ExitInfo | undefined;
  closeStdin: () => void;
  /** How long each rung waits. */
  stopMs: number;
}

/** Climbs until nothing of the tree is alive. Never rejects; `alive` in the report means that KILL did not help. */
export async function climb(target: StopTarget): Promise<StopReport> {
  const { tree, exit } = target;
  const report = (rung: StopReport["rung"]): StopReport => ({ rung, exit: exit() });
  target.closeStdin();
  if (exit() !== undefined && !(await tree.isAlive())) return report("exited");
  if (await goneInTime(target)) return report("eof");
  await tree.signal("SIGTERM");
  if (await goneInTime(target)) return report("term");
  await tree.signal("SIGKILL");
  if (await goneInTime(target)) return report("kill");
  return report("alive");
}

// --- internal ---

const pollMsMin = 5;
const pollMsMax = 50;

async function goneInTime({ tree, exited, stopMs }: StopTarget): Promise<boolean> {
  const end = performance.now() + stopMs;
  if (!(await settlesWithin(exited, stopMs))) return false;
  for (let ms = pollMsMin; await tree.isAlive(); ms = Math.min(2 * ms, pollMsMax)) {
    if (performance.now() >= end) return false;
    await Bun.sleep(ms);
  }
  return true;
}
