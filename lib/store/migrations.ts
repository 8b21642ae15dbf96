/**
 * How the tables came to be, step by step: forward only, in one transaction each time a store is opened by a program that
 * knows more steps than it has. An older program refuses what a newer one made.
 */
import { HostError } from "../base/errors.ts";
import type { Db, Engine, Sql, Transaction } from "./db.ts";

/** @throws HostError `config`: the store is newer than this program, or cannot be written */
export async function migrate(db: Db): Promise<void> {
  if ((await versionOf(db)) === steps.length) return;
  await db.write(async (tx) => {
    // One process migrates, and the others find it done.
    if (db.engine.kind === "postgres") await tx`select pg_advisory_xact_lock(${lockKey})`;
    const version = (await readVersion(tx, db.engine.kind)) ?? 0;
    for (const step of steps.slice(version))
      for (const statement of step(db.engine.kind)) await tx.unsafe(statement);
    await tx`update mcphost_store set version = ${steps.length} where version < ${steps.length}`;
  });
  await versionOf(db);
}

// --- internal ---

type Kind = Engine["kind"];

/** Any number, as long as it stays the same. */
const lockKey = 6_271_105;

async function versionOf(db: Db): Promise<number | undefined> {
  const { kind, label } = db.engine;
  const version = await db.read((sql) => readVersion(sql, kind));
  if (version === undefined || version <= steps.length) return version;
  throw new HostError(
    "config",
    `the store ${label} was made by a newer mcphost: it has version ${version}, and this one knows ${steps.length}`,
    {
      facts: { store: label, version },
      hint: "update mcphost, or name another store in the config",
    },
  );
}

async function readVersion(sql: Sql | Transaction, kind: Kind): Promise<number | undefined> {
  const [table] =
    kind === "postgres"
      ? // By the rows, not by `to_regclass`: that one still says what it said before we had the lock.
        await sql`select relname as name from pg_class
          where relname = 'mcphost_store' and pg_table_is_visible(oid)`
      : await sql`select name from sqlite_master where name = 'mcphost_store'`;
  if (!table?.name) return undefined;
  const [row] = await sql`select version from mcphost_store`;
  return Number(row?.version ?? 0);
}

/** Each entry is one version. What is released is never changed: another entry follows. */
const steps: ((kind: Kind) => string[])[] = [
  (kind) => [
    "create table mcphost_store (version integer not null)",
    "insert into mcphost_store values (0)",
    `create table mcphost_holders (
      id text primary key, boot text not null, space text not null, pid integer not null,
      start text not null, seen_at bigint not null
    )`,
    `create table mcphost_approvals (
      id text primary key, owner text not null, state text not null,
      server text not null, tool text not null, actor text not null, session text not null,
      question text not null, proposed text not null, effective text, always text,
      definition text not null, config text not null,
      holder text, claim text, survives integer not null,
      created_at bigint not null, expires_at bigint not null, decided_at bigint, decided_by text,
      reason text, ended_at bigint, result text
    )`,
    "create index mcphost_approvals_state on mcphost_approvals (state, owner)",
    `create table mcphost_grants (
      id text primary key, owner text not null, server text not null, tool text,
      arguments text, session text, config text not null, definitions text not null,
      created_at bigint not null, expires_at bigint, granted_by text not null
    )`,
    "create index mcphost_grants_server on mcphost_grants (owner, server)",
    "create table mcphost_definitions (hash text primary key, definition text not null, seen_at bigint not null)",
    `create table mcphost_journal (
      id text primary key, owner text not null, server text not null, tool text not null,
      state text not null, holder text not null, at bigint not null
    )`,
    `create table mcphost_audit (
      seq ${kind === "postgres" ? "bigint generated always as identity primary key" : "integer primary key autoincrement"},
      at bigint not null, owner text not null, call text not null, event text not null,
      server text, tool text, actor text, outcome text, detail text
    )`,
  ],
];
