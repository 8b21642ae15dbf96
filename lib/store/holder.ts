/**
 * Who holds calls, and whether it is still there: a process of this machine by its id and start, another machine's by the
 * heartbeat that it leaves in the store.
 */
import { readProcesses } from "../process/table.ts";
import type { Db } from "./db.ts";
import type { Holder } from "./types.ts";

/** This process. `space` tells containers apart, whose process ids mean something else. */
export async function thisProcess(): Promise<Holder> {
  const { readFile, readlink } = await import("node:fs/promises");
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "latin1").catch(() => "");
  const space = await readlink("/proc/self/ns/pid").catch(() => "");
  const own = (await readProcesses())?.find(({ pid }) => pid === process.pid);
  const { pid } = process;
  return { id: crypto.randomUUID(), boot: boot.trim(), space, pid, start: own?.start ?? "" };
}

/** Ids of the holders in the store that are gone, and whether the machine was started anew since. */
export async function goneHolders(db: Db, me: Holder): Promise<{ id: string; reboot: boolean }[]> {
  const { kind } = db.engine;
  const rows: (Holder & { age: number | string })[] = await db.read((sql) =>
    kind === "postgres"
      ? sql`select id, boot, space, pid, start, ${sql.unsafe(clock)} - seen_at as age from mcphost_holders`
      : sql`select id, boot, space, pid, start, ${db.now()} - seen_at as age from mcphost_holders`,
  );
  const others = rows.filter(({ id }) => id !== me.id);
  if (others.length === 0) return [];
  const table = await readProcesses();
  const lives = new Set(table?.filter((row) => !row.isZombie).map((row) => nameOf(row)));
  return others.flatMap((row) => {
    const { id, boot, space, age } = row;
    const isKnown = table !== undefined && row.start !== "" && me.start !== "" && boot !== "";
    if (isKnown && boot === me.boot && space === me.space)
      return lives.has(nameOf(row)) ? [] : [{ id, reboot: false }];
    // A file is of one machine.
    if (kind === "sqlite" && isKnown && boot !== me.boot) return [{ id, reboot: true }];
    return Number(age) > silentMs ? [{ id, reboot: kind === "sqlite" }] : [];
  });
}

/** Writes that we are there: the first time before we hold anything. */
export async function beat(db: Db, { id, boot, space, pid, start }: Holder): Promise<void> {
  const about = [id, boot, space, pid, start];
  const write =
    db.engine.kind === "postgres"
      ? { text: heartbeat(`$1, $2, $3, $4, $5, ${clock}`), values: about }
      : { text: heartbeat("?, ?, ?, ?, ?, ?"), values: [...about, db.now()] };
  await db.append([write]);
}

/** How often a holder writes that it is there. */
export const beatMs = 15_000;

// --- internal ---

/** One that was not heard of for so long is gone, where nothing better is known. */
const silentMs = 90_000;

function nameOf({ pid, start }: { pid: number; start: string }): string {
  return `${pid} ${start}`;
}

/** Machines that share a Postgres go by its clock. */
const clock = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

function heartbeat(values: string): string {
  return `insert into mcphost_holders (id, boot, space, pid, start, seen_at) values (${values})
    on conflict (id) do update set seen_at = excluded.seen_at`;
}
