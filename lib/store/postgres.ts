/** The store in a Postgres, shared by machines. Nothing of its address but host, port and name is ever shown. */
import { SQL } from "bun";

import { HostError } from "../base/errors.ts";
import { runAll } from "./db.ts";
import type { Engine } from "./db.ts";

/** No connection is opened by that. @throws HostError `config`: it is no address of a Postgres */
export function openPostgres(url: string, waitMs: number): Engine {
  const parsed = URL.parse(url);
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw new HostError("config", "the address of the store is no URL of a Postgres", {
      hint: "write postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    });
  const sql = new SQL(url, {
    adapter: "postgres",
    max: connectionsMax,
    idleTimeout: 60,
    connectionTimeout: Math.ceil(waitMs / 1000),
    connection: {
      application_name: "mcphost",
      // A statement that outlasts whoever waited for it holds up others.
      statement_timeout: String(waitMs),
      client_min_messages: "warning",
      // The connection that listens is idle all day.
      idle_session_timeout: "0",
    },
  });
  return {
    kind: "postgres",
    label: `${parsed.protocol}//${parsed.host}${parsed.pathname}`,
    sql,
    transact: async (job) => (await sql.begin(job)) as Awaited<ReturnType<typeof job>>,
    appendNow: () => false,
    async append(writes, signal) {
      await sql.begin(async (tx) => {
        await runAll(tx, writes);
        signal.throwIfAborted();
      });
    },
    // It is for its own administrator to mend.
    spoilt: async () => {},
    close: () => sql.close({ timeout: 1 }),
  };
}

// --- internal ---

const connectionsMax = 4;
