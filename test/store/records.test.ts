/** Grants and the audit log in a store, and what goes when it is old; the same over SQLite and Postgres. */
import { describe, expect, test } from "bun:test";

import { asked, type Kind, place } from "./kit.ts";
import { postgresOfFile } from "./postgres.ts";

const postgres = postgresOfFile();

describe.each<Kind>(["sqlite", "postgres"])("%s", (kind) => {
  const there = () => kind === "sqlite" || postgres() !== undefined;

  test("grants are listed by owner and server, end in time, and are revoked once", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    let now = Date.now();
    const store = await here.open({ now: () => now });
    const grant = {
      owner: "default",
      server: "files",
      config: "c1",
      definitions: { write: "d1" },
      grantedBy: "terminal",
    };
    const kept = await store.grants.add({ ...grant, tool: "write" });
    await store.grants.add({ ...grant, expiresAt: now + 1000 });
    await store.grants.add({ ...grant, session: "s1" });
    await store.grants.add({ ...grant, owner: "other" });
    expect(await store.grants.list("default", "files")).toHaveLength(3);
    expect(await store.grants.list("default", "fil")).toEqual([]);
    now += 2000;
    expect(await store.grants.list("default")).toHaveLength(2);
    // Back before the grant was given: the clock was wrong, and a grant with an end does not hold.
    now -= 3_600_000;
    expect(await store.grants.list("default")).toHaveLength(2);
    now += 3_600_000;
    await store.grants.endSession("s1");
    expect(await store.grants.list("default")).toEqual([kept]);
    expect(await store.grants.revoke("other", kept.id)).toBe(false);
    expect(await store.grants.revoke("default", kept.id)).toBe(true);
    expect(await store.grants.revoke("default", kept.id)).toBe(false);
    await store.grants.keepDefinition("d1", { description: "old" });
    await store.grants.keepDefinition("d1", { description: "old" });
    expect(await store.grants.definition("d1")).toEqual({ description: "old" });
    expect(await store.grants.definition("d2")).toBeUndefined();
  });

  test("a time that no date has is the last that one has", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    const store = await here.open();
    const { id } = asked();
    for (const expiresAt of [9e15, 1e308]) {
      await store.approvals.ask(asked({ id, expiresAt }));
      const found = await store.approvals.get(undefined, id);
      expect(new Date(found!.expiresAt).toISOString()).toBe("+275760-09-13T00:00:00.000Z");
      const hashes = { config: "c1", definitions: {} };
      const about = { owner: "default", server: "files", grantedBy: "test", ...hashes };
      await store.grants.add({ ...about, expiresAt });
      for (const { expiresAt: until } of await store.grants.list(undefined))
        expect(new Date(until!).toISOString()).toBe("+275760-09-13T00:00:00.000Z");
    }
  });

  test("the audit log is read by page and filter, and oversized details are cut", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    const store = await here.open();
    const at = Date.now();
    await Promise.all(
      Array.from({ length: 1200 }, (_, i) =>
        store.journal.write({
          events: [
            { at: at + i, owner: "default", call: `c${i}`, event: "proposed", server: "a" },
            {
              at: at + i,
              owner: "default",
              call: `c${i}`,
              event: "answered",
              server: i % 2 ? "a" : "b",
              outcome: "completed",
              detail: { bytes: i, ...(i === 7 && { text: "x".repeat(50_000) }) },
            },
          ],
        }),
      ),
    );
    const last = await store.auditRows({ server: "b" }, { before: Infinity, limit: 3 });
    expect(last.map(({ call }) => call)).toEqual(["c1194", "c1196", "c1198"]);
    const first = await store.auditRows({ event: "answered" }, { after: 0, limit: 2 });
    expect(first.map(({ call }) => call)).toEqual(["c0", "c1"]);
    const next = await store.auditRows({ event: "answered" }, { after: first[1]!.seq, limit: 1 });
    expect(next[0]).toMatchObject({ call: "c2", outcome: "completed", detail: { bytes: 2 } });
    const [cut] = await store.auditRows({ call: "c7", event: "answered" }, { after: 0, limit: 9 });
    expect(JSON.stringify(cut!.detail).length).toBeLessThan(17_000);
    expect(await store.auditRows({ owner: "other" }, { after: 0, limit: 9 })).toEqual([]);
    const some = await store.auditRows({ since: at + 10, until: at + 12 }, { after: 0, limit: 99 });
    expect(some).toHaveLength(4);
  });

  test("what is old or too much goes; what is uncertain stays", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    let now = Date.now() - 40 * 86_400_000;
    const store = await here.open({ now: () => now });
    const event = { owner: "default", event: "proposed" } as const;
    await store.journal.write({ events: [{ ...event, at: now, call: "old" }] });
    const [gone, kept] = [asked({ expiresAt: now + 1000 }), asked({ expiresAt: now + 1000 })];
    for (const { id } of [gone, kept]) {
      await store.approvals.ask(asked({ id, expiresAt: now + 1000 }));
      await store.approvals.decide("default", id, { approve: true, arguments: {}, by: "t" });
      expect(await store.approvals.claim(id)).toBe(true);
    }
    await store.approvals.settle(gone.id, { state: "completed" });
    await store.approvals.settle(kept.id, { state: "uncertain" });
    now = Date.now();
    // The clock jumped, perhaps only for a moment: nothing is old by that.
    await store.prune();
    expect(await store.auditRows({ call: "old" }, { after: 0, limit: 9 })).toHaveLength(1);
    expect(await store.approvals.get("default", gone.id)).toBeDefined();
    const later = await here.open();
    for (let i = 0; i < 50; i += 1)
      await store.journal.write({ events: [{ ...event, at: now, call: `c${i}` }] });
    await later.prune({ eventsMax: 10 });
    const rows = await store.auditRows({}, { after: 0, limit: 100 });
    expect(rows.map(({ call }) => call)).toEqual(
      Array.from({ length: 10 }, (_, i) => `c${40 + i}`),
    );
    expect(await store.approvals.get("default", gone.id)).toBeUndefined();
    expect(await store.uncertainCalls("default")).toMatchObject([{ id: kept.id }]);
    expect(await store.uncertainCalls("other")).toEqual([]);
    const told = { id: kept.id, reason: "looked: it was not done" };
    expect(await store.acknowledge("other", told)).toBe(false);
    expect(await store.acknowledge("default", told)).toBe(true);
    expect(await store.acknowledge("default", told)).toBe(false);
    expect(await store.approvals.get("default", kept.id)).toMatchObject({
      state: "failed",
      reason: "looked: it was not done",
    });
  });
});
