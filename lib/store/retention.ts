/** Ends what is too old or too much. What waits, runs or is uncertain stays, and so do grants that hold. */
import type { Db } from "./db.ts";
import type { Row } from "./rows.ts";

export interface Retention {
  /** How old an event, an ended approval, or a definition may be. @default 30 days */
  ageMs?: number;
  /** How many events are kept. @default 500000 */
  eventsMax?: number;
}

/**
 * Removes in small steps, so that nobody waits for long.
 * @param now the time that ages are counted from
 * @throws HostError `config`: the store cannot be asked
 */
export async function prune(
  db: Db,
  now: number,
  { ageMs = monthMs, eventsMax = 500_000 }: Retention = {},
): Promise<void> {
  const before = Math.round(now - ageMs);
  const through = await lastToGo(db, before, eventsMax);
  for (let removed = stepMax; removed === stepMax;)
    removed = await db.write(async (tx) => {
      const rows: Row[] = await tx`delete from mcphost_audit where seq in (
        select seq from mcphost_audit where seq <= ${through} order by seq limit ${stepMax}
      ) returning seq`;
      return rows.length;
    });
  await db.write(async (tx) => {
    await tx`delete from mcphost_approvals where ended_at < ${before} and state <> 'uncertain'`;
    await tx`delete from mcphost_grants
      where expires_at < ${before} or (session is not null and created_at < ${before})`;
    await tx`delete from mcphost_definitions where seen_at < ${before} and not exists (
      select 1 from mcphost_grants where definitions like '%' || hash || '%')`;
  });
}

// --- internal ---

const monthMs = 30 * 24 * 3_600_000;
const stepMax = 2000;

/** Numbers rise with time, so that the first young event tells of all before it. */
async function lastToGo(db: Db, before: number, eventsMax: number): Promise<number> {
  const [last] = await db.read<Row[]>((sql) => sql`select max(seq) as seq from mcphost_audit`);
  const [young] = await db.read<Row[]>(
    (sql) => sql`select seq from mcphost_audit where at >= ${before} order by seq limit 1`,
  );
  const end = Number(last?.["seq"] ?? 0);
  const old = young === undefined ? end : Number(young["seq"]) - 1;
  return Math.max(old, end - eventsMax);
}
