/**
 * The store in one SQLite file of our user (mode 0600), shared by the processes of one machine. A damaged file is put
 * aside under a name of its own and never deleted.
 */
import { dirname } from "node:path";

import { SQL } from "bun";

import { Semaphore } from "../base/async.ts";
import type { Log } from "../base/log.ts";
import type { Engine } from "./db.ts";
import { KeptStatements } from "./kept.ts";
import { faultOf, storeError } from "./sql-errors.ts";
import { withTries } from "./tries.ts";

export interface SqliteOptions {
  log: Log;
  waitMs: number;
}

/**
 * Opens the file, or makes it. Its folder is made with 0700.
 * @throws HostError `config`: it cannot be made, opened or written
 */
export function openSqlite(file: string, { log, waitMs }: SqliteOptions): Promise<Engine> {
  return withTries({ label: file, waitMs }, async () => {
    const ino = await prepareFile(file);
    try {
      if (!(await hasMark(file))) return await connect(file);
    } catch (error) {
      if (faultOf(error) !== "damaged") throw error;
    }
    const aside = await putAside(file, ino);
    if (aside !== undefined) log({ level: "warn", text: damaged(file, aside) });
    await prepareFile(file);
    return await connect(file);
  });
}

// --- internal ---

const pragmas: readonly string[] = [
  // It waits inside our process, which does nothing else meanwhile: short, and then it is tried again.
  "pragma busy_timeout = 20",
  // The log may grow to 16 MiB before it goes into the file, for which our process waits for the disk, too.
  "pragma wal_autocheckpoint = 4000",
];

async function connect(file: string): Promise<Engine> {
  const sql = new SQL({ adapter: "sqlite", filename: file });
  let kept: KeptStatements;
  try {
    await setUp(sql);
    kept = new KeptStatements(file, pragmas);
  } catch (error) {
    await sql.close();
    throw error;
  }
  // One transaction at a time: else ours would be busy for each other.
  const turn = new Semaphore(1);
  return {
    kind: "sqlite",
    label: file,
    sql,
    async transact(job) {
      await turn.acquire();
      try {
        return (await sql.begin("immediate", job)) as Awaited<ReturnType<typeof job>>;
      } finally {
        turn.release();
      }
    },
    async append(writes, signal) {
      await turn.acquire(signal);
      try {
        kept.write(writes);
      } finally {
        turn.release();
      }
    },
    appendNow(writes) {
      if (!turn.take()) return false;
      try {
        kept.write(writes);
        return true;
      } catch {
        // Whoever tries again tells what is wrong.
        return false;
      } finally {
        turn.release();
      }
    },
    // The next opening would not see it.
    spoilt: () => setMark(file),
    async close() {
      kept.close();
      await sql.close();
    },
  };
}

async function setUp(sql: SQL): Promise<void> {
  for (const pragma of pragmas) await sql.unsafe(pragma);
  await sql.unsafe("pragma synchronous = full");
  // Readers and one writer at once; kept in the file, so that only its first opening writes.
  const [mode] = await sql.unsafe("pragma journal_mode");
  if (mode?.journal_mode !== "wal") await sql.unsafe("pragma journal_mode = wal");
  await sql.unsafe("select count(*) from sqlite_master");
}

/** SQLite gives its files beside it the same mode. Returns which file it is. @throws HostError `config` */
async function prepareFile(file: string): Promise<number> {
  const fs = await import("node:fs/promises");
  try {
    await fs.mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await using handle = await fs.open(file, "a", 0o600);
    const { ino, mode } = await handle.stat();
    if ((mode & 0o077) !== 0) await handle.chmod(0o600);
    return ino;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw storeError(file, code === "ENOSPC" ? "full" : "readonly", error);
  }
}

function damaged(file: string, aside: string): string {
  return `the store ${file} is damaged: it is kept as ${aside}, and a new one is begun; what waited for approval and what was always allowed is asked about anew`;
}

/** Renames what was seen to be damaged. Undefined: another process did so, and the file is a new one by now. */
async function putAside(file: string, seen: number): Promise<string | undefined> {
  const fs = await import("node:fs/promises");
  const { ino } = await fs.stat(file);
  if (ino !== seen) return undefined;
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  for (const ending of ["", "-wal", "-shm", mark]) {
    await fs.rename(file + ending, aside + ending).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw storeError(file, "readonly", error);
    });
  }
  return aside;
}

/** Says that SQLite found the file damaged after it was opened, where the next opening would not see it. */
const mark = "-damaged";

async function setMark(file: string): Promise<void> {
  // It is said again the next time.
  await Bun.write(file + mark, "").catch(() => undefined);
}

async function hasMark(file: string): Promise<boolean> {
  return await Bun.file(file + mark).exists();
}
