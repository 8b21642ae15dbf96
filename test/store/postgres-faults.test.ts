/** A Postgres that is down, started anew or mute: a clear error in time, and nothing lost. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { asked, type Place, place } from "./kit.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

test("a Postgres that is down is an error in time, without its password", async () => {
  await using here = await place("sqlite", undefined);
  const url = "postgres://ada:geheim@127.0.0.1:1/calls?sslmode=disable&x=geheim";
  const startedAt = performance.now();
  const error = await here.open({ url, waitMs: 300 }).catch((each: unknown) => each);
  expect(performance.now() - startedAt).toBeLessThan(2500);
  expect(error).toMatchObject({ code: "config", facts: { fault: "lost" } });
  expect(String(error)).toContain("postgres://127.0.0.1:1/calls cannot be reached");
  expect(Bun.inspect(error)).not.toContain("geheim");
});

test("a Postgres that is started anew in the middle loses nothing, and wakes who waits", async () => {
  await using own = await ownPostgres();
  if (own === undefined) return;
  const { here, postgres: server } = own;
  const [a, b] = [await here.open(), await here.open()];
  const call = asked();
  await a.approvals.ask(call);
  const waiting = a.decision(call.id);
  await server.stop();
  const decided = b.approvals.decide("default", call.id, {
    approve: true,
    arguments: {},
    by: "cli",
  });
  const event = { owner: "default", event: "sent", at: Date.now(), call: call.id } as const;
  const written = a.journal.write({ events: [event] });
  await server.start();
  expect(await decided).toMatchObject({ isFirst: true, approval: { state: "approved" } });
  expect((await waiting)?.state).toBe("approved");
  const claims = await Promise.all([a.approvals.claim(call.id), b.approvals.claim(call.id)]);
  expect(claims.filter(Boolean)).toHaveLength(1);
  await written;
  expect(await a.auditRows({}, { after: 0, limit: 9 })).toHaveLength(1);
}, 30_000);

test("a Postgres that does not answer is given up in time, and what was given up does not happen", async () => {
  await using own = await ownPostgres();
  if (own === undefined) return;
  const { here } = own;
  const store = await here.open({ waitMs: 500 });
  const call = asked();
  await store.approvals.ask(call);
  await store.approvals.decide("default", call.id, { approve: true, arguments: {}, by: "t" });
  const signal = await own.stopAll();
  const startedAt = performance.now();
  const error = await store.approvals.claim(call.id).catch((each: unknown) => each);
  expect(error).toMatchObject({ code: "config", facts: { fault: "lost" } });
  expect(performance.now() - startedAt).toBeLessThan(2500);
  signal("SIGCONT");
  await waitFor(
    async () =>
      (await store.approvals.get("default", call.id).catch(() => undefined)) !== undefined,
    () => "it does not answer again",
  );
  expect((await store.approvals.get("default", call.id))?.state).toBe("approved");
}, 30_000);

// --- internal ---

interface Own extends AsyncDisposable {
  here: Place;
  postgres: Postgres;
  /** Stops all processes of it in their tracks; returns what signals them. */
  stopAll(): Promise<(signal: NodeJS.Signals) => void>;
}

/** A Postgres that the test may stop. */
async function ownPostgres(): Promise<Own | undefined> {
  const own = await startPostgres();
  if (own === undefined) return undefined;
  const here = await place("postgres", own);
  return {
    here,
    postgres: own,
    async stopAll() {
      const parent = await own.pid();
      const { readProcesses } = await import("../../lib/process/table.ts");
      const table = (await readProcesses()) ?? [];
      const pids = table.filter((row) => row.parent === parent).map(({ pid }) => pid);
      const signal = (name: NodeJS.Signals) => {
        for (const pid of [parent, ...pids]) process.kill(pid, name);
      };
      signal("SIGSTOP");
      return signal;
    },
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]();
      await own[Symbol.asyncDispose]();
    },
  };
}
