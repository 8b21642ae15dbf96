/** The statements that steps of calls are written with: each over many rows, and its text one of two. Pure. */
import type { Engine, Value, Write } from "./db.ts";

/** SQLite runs over so many rows at once, and one by one over what is left. */
const rowsAtOnce = 16;
/** Postgres runs over all rows at once, as a JSON array of arrays. */
const all = "json_array_elements($1::text::json) as rows(r)";

interface Statement {
  /** Values of a row. */
  width: number;
  one: string;
  many: string;
  postgres: string;
}

/** @param values row after row */
export function writesOver(
  kind: Engine["kind"],
  { width, one, many, postgres }: Statement,
  values: readonly Value[],
): Write[] {
  if (values.length === 0) return [];
  if (kind === "postgres") {
    const rows: (readonly Value[])[] = [];
    for (let at = 0; at < values.length; at += width) rows.push(values.slice(at, at + width));
    return [{ text: postgres, values: [JSON.stringify(rows)] }];
  }
  const writes: Write[] = [];
  for (let at = 0, end = 0; at < values.length; at = end) {
    const isMany = values.length - at >= rowsAtOnce * width;
    end = at + (isMany ? rowsAtOnce * width : width);
    writes.push({ text: isMany ? many : one, values: values.slice(at, end) });
  }
  return writes;
}

/** A call is sent: owner, server and tool of the call with this id, who holds it, and since when. */
export const open = statement({
  width: 6,
  row: "(?, ?, ?, ?, ?, ?, 'sent')",
  sqlite: (rows) => `insert into mcphost_journal (id, owner, server, tool, holder, at, state)
    values ${rows} on conflict (id) do update set state = 'sent', at = excluded.at`,
  postgres: `insert into mcphost_journal (id, owner, server, tool, holder, at, state)
    select r->>0, r->>1, r->>2, r->>3, r->>4, (r->>5)::bigint, 'sent' from ${all}
    on conflict (id) do update set state = 'sent', at = excluded.at`,
});

/** Calls that nobody knows the end of. */
export const doubt = statement({
  width: 1,
  row: "?",
  sqlite: (rows) => `update mcphost_journal set state = 'uncertain' where id in (${rows})`,
  postgres: `update mcphost_journal set state = 'uncertain' where id in (select r->>0 from ${all})`,
});

/** Calls of which nothing is open. */
export const settle = statement({
  width: 1,
  row: "?",
  sqlite: (rows) => `delete from mcphost_journal where id in (${rows})`,
  postgres: `delete from mcphost_journal where id in (select r->>0 from ${all})`,
});

const columns = "at, owner, call, event, server, tool, actor, outcome, detail";

/** Events, in the order of `columns`. */
export const note = statement({
  width: 9,
  row: "(?, ?, ?, ?, ?, ?, ?, ?, ?)",
  sqlite: (rows) => `insert into mcphost_audit (${columns}) values ${rows}`,
  postgres: `insert into mcphost_audit (${columns})
    select (r->>0)::bigint, r->>1, r->>2, r->>3, r->>4, r->>5, r->>6, r->>7, r->>8 from ${all}`,
});

/** In Postgres, before `note`: events are seen in the order of their numbers, so that who follows the log misses none. */
export const inOrder: Write = { text: "select pg_advisory_xact_lock(6271106)", values: [] };

// --- internal ---

function statement({
  width,
  row,
  sqlite,
  postgres,
}: {
  width: number;
  row: string;
  sqlite: (rows: string) => string;
  postgres: string;
}): Statement {
  const rows = Array.from({ length: rowsAtOnce }, () => row).join(", ");
  return { width, one: sqlite(row), many: sqlite(rows), postgres };
}
