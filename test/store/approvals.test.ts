/** Approvals in a store: what they keep, who decides, who waits, and for how long; the same over SQLite and Postgres. */
import { describe, expect, test } from "bun:test";

import { asked, files, type Kind, place } from "./kit.ts";
import { postgresOfFile } from "./postgres.ts";

const postgres = postgresOfFile();

describe.each<Kind>(["sqlite", "postgres"])("%s", (kind) => {
  const there = () => kind === "sqlite" || postgres() !== undefined;

  test("an approval keeps what was asked, digits and odd characters included", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    const store = await here.open();
    const proposed = JSON.parse('{"a":"\\u0000\\ud800","__proto__":1}');
    const big = { n: JSON.rawJSON("12345678901234567890") as never };
    const call = asked({ proposed: { ...proposed, ...big }, question: "a\0b\ud800", tool: "t\0" });
    await store.approvals.ask(call);
    await store.approvals.ask(call);
    const found = await store.approvals.get("default", call.id);
    expect(found).toMatchObject({ id: call.id, state: "pending", tool: "t\uFFFD" });
    expect(found?.question).toBe("a\uFFFDb\uFFFD");
    expect(JSON.stringify(found?.proposed)).toBe(JSON.stringify({ ...proposed, ...big }));
    expect(await store.approvals.get("other", call.id)).toBeUndefined();
    expect(await store.approvals.list("other", ["pending"])).toEqual([]);
    expect(await store.approvals.list(undefined, ["pending"])).toHaveLength(1);
  });

  test("the first decision counts, and a second gets what the first made of it", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    const [a, b] = [await here.open(), await here.open()];
    const { id } = asked();
    await a.approvals.ask(asked({ id }));
    const yes = { approve: true, arguments: { path: "/tmp/x" }, by: "terminal" } as const;
    const no = { approve: false, reason: "no", by: "http" } as const;
    const both = await Promise.all([
      a.approvals.decide("default", id, yes),
      b.approvals.decide("default", id, no),
    ]);
    expect(both.map((each) => each?.isFirst).toSorted()).toEqual([false, true]);
    const state = both.find((each) => each?.isFirst)?.approval.state;
    expect(both.map((each) => each?.approval.state)).toEqual([state!, state!]);
    expect(await a.approvals.decide("other", id, yes)).toBeUndefined();
    expect(await a.approvals.decide("default", "none", yes)).toBeUndefined();
  });

  test("an approved call is claimed once, and settles once", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    const stores = await Promise.all(Array.from({ length: 6 }, () => here.open()));
    const [store] = stores;
    const call = asked();
    await store!.approvals.ask(call);
    expect(await store!.approvals.claim(call.id)).toBe(false);
    await store!.approvals.decide("default", call.id, { approve: true, arguments: {}, by: "t" });
    const claims = await Promise.all(stores.map((each) => each.approvals.claim(call.id)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    const winner = stores[claims.indexOf(true)]!;
    const loser = stores[claims.indexOf(false)]!;
    await loser.approvals.settle(call.id, { state: "failed" });
    expect((await loser.approvals.get("default", call.id))?.state).toBe("running");
    await winner.approvals.settle(call.id, { state: "completed", result: "2 blocks" });
    expect(await winner.approvals.get("default", call.id)).toMatchObject({
      state: "completed",
      result: "2 blocks",
      effective: {},
      decidedBy: "t",
    });
    expect(await winner.approvals.claim(call.id)).toBe(false);
  });

  test("a decision wakes who waits in another store", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    const [a, b] = [await here.open(), await here.open()];
    const call = asked();
    await a.approvals.ask(call);
    const waiting = a.decision(call.id);
    expect(await Promise.race([waiting, Bun.sleep(20).then(() => "waits")])).toBe("waits");
    await b.approvals.decide("default", call.id, { approve: false, reason: "why", by: "cli" });
    expect(await waiting).toMatchObject({ state: "rejected", reason: "why", decidedBy: "cli" });
  });

  test("nobody waits longer than the time there is, by either clock; later decisions do not count", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    let jump = 0;
    const store = await here.open({ now: () => Date.now() + jump });
    const short = asked({ expiresAt: Date.now() + 150 });
    await store.approvals.ask(short);
    const waiting = store.decision(short.id);
    // The clock of the wall goes back by an hour: the time is as long as it was.
    jump = -3_600_000;
    expect(await waiting).toMatchObject({ state: "expired" });
    jump = 0;
    const long = asked({ expiresAt: Date.now() + 60_000 });
    await store.approvals.ask(long);
    const other = store.decision(long.id);
    jump = 120_000;
    expect((await other)?.state).toBe("expired");
    const late = await store.approvals.decide("default", long.id, {
      approve: true,
      arguments: {},
      by: "t",
    });
    expect(late).toMatchObject({ isFirst: false, approval: { state: "expired" } });
  });

  test("what is overdue and has nobody who waits ends at the next opening", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    const now = Date.now() - 3_600_000;
    const store = await here.open({ now: () => now });
    const [one, two, three] = ["one", "two", "three"];
    for (const id of [one, two, three])
      await store.approvals.ask(asked({ id, survives: true, expiresAt: now + 1000 }));
    await store.approvals.decide("default", two, { approve: true, arguments: {}, by: "t" });
    await store.approvals.decide("default", three, { approve: false, reason: "no", by: "t" });
    const events = [{ at: now, owner: "default", call: one, event: "proposed" as const }];
    await store.journal.write({ events });
    await store[Symbol.asyncDispose]();
    const next = await here.open();
    const ends = await Promise.all(
      [one, two, three].map(async (id) => {
        const { state, reason } = (await next.approvals.get(undefined, id))!;
        return [state, reason];
      }),
    );
    expect(ends).toEqual([
      ["expired", "nobody decided in time"],
      ["expired", "nobody ran it in time"],
      ["rejected", "no"],
    ]);
    // The log has their ends, where it has their beginnings.
    expect(await next.auditRows({}, { after: 0, limit: 9 })).toMatchObject([
      { call: one, event: "proposed" },
      { call: one, event: "decided", outcome: "denied", tool: "write" },
    ]);
    expect(await next.adopt([files])).toEqual([]);
    expect(await next.approvals.claim(two)).toBe(false);
  });

  test("a wait ends with its signal, and with the call that was given up", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    const store = await here.open();
    const call = asked();
    await store.approvals.ask(call);
    const scope = new AbortController();
    const waiting = store.decision(call.id, scope.signal);
    scope.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    const again = store.decision(call.id);
    await store.approvals.cancel(call.id, "the client left");
    expect(await again).toMatchObject({ state: "cancelled", reason: "the client left" });
    expect(await store.decision("none")).toBeUndefined();
  });
});
