/**
 * Notices that the file of an open store was deleted, or that another took its place: what is written goes into a file that
 * nobody else sees from then on. It is said once, and nothing is opened anew: what is under way is bound to the old one.
 */
import type { Log } from "../base/log.ts";

/** Looks at the file every `everyMs` (5000), until that is over or disposed. */
export async function watchStore(
  file: string,
  log: Log,
  everyMs: number = everyMsDefault,
): Promise<Disposable> {
  const first = await identityOf(file);
  let isTold = false;
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  const look = async () => {
    const now = await identityOf(file);
    if (now === first || isTold) return;
    isTold = true;
    clearInterval(timer);
    const what = now === undefined ? "was deleted" : "was replaced by another";
    log({
      level: "error",
      text: `the store ${file} ${what} while it was open: approvals are not seen here any more, and the audit log is lost; start again to use the one that is there`,
    });
  };
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

// --- internal ---

const everyMsDefault = 5000;

/** Which file it is; undefined where there is none. */
async function identityOf(file: string): Promise<string | undefined> {
  const stat = await Bun.file(file)
    .stat()
    .catch(() => undefined);
  return stat && `${stat.dev}:${stat.ino}`;
}
