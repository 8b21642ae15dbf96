/** Processes that are killed or race: nothing runs twice, and what became of each call is told truly. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, root } from "../harness.ts";
import { asked, files, type Kind, type Place, place } from "./kit.ts";
import { postgresOfFile } from "./postgres.ts";

const postgres = postgresOfFile();

describe.each<Kind>(["sqlite", "postgres"])("%s", (kind) => {
  const there = () => kind === "sqlite" || postgres() !== undefined;

  test.each([
    ["pending", "cancelled", []],
    ["approved", "cancelled", []],
    ["claimed", "failed", []],
    ["sent", "uncertain", ["c1"]],
    ["settled", "completed", []],
  ])("killed while a call is %s: it is %s after that", async (step, state, uncertain) => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    await killedAt(here, step, "c1");
    const store = await here.open();
    const found = await store.approvals.get("default", "c1");
    expect<string | undefined>(found?.state).toBe(state);
    if (step === "claimed") expect(found?.reason).toContain("before it was sent");
    expect((await store.uncertainCalls("default")).map(({ id }) => id)).toEqual(uncertain);
    // It is not run by anybody else, and a second look finds nothing more.
    expect(await store.approvals.claim("c1")).toBe(false);
    expect(await store.recover()).toEqual([]);
  });

  test("a call that outlives its process waits on, and is taken over by one", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    await killedAt(here, "survives-pending", "c1", "c2");
    const [a, b] = [await here.open(), await here.open()];
    expect((await a.approvals.get("default", "c1"))?.state).toBe("pending");
    expect(await a.adopt([{ ...files, config: "c2" }])).toEqual([]);
    const adopted = await Promise.all([a.adopt([files]), b.adopt([files])]);
    expect(
      adopted
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(["c1", "c2"]);
    // One that ends in an orderly way leaves them to the next.
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    const next = await here.open();
    expect(await next.adopt([files])).toHaveLength(2);
  });

  test("a process that lives keeps what it holds", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    await using _living = await startedAt(here, "sent", "c1");
    const store = await here.open();
    expect((await store.approvals.get("default", "c1"))?.state).toBe("running");
    expect(await store.uncertainCalls("default")).toEqual([]);
    expect(await store.adopt([files])).toEqual([]);
  });

  test("of many hosts in many processes each approved call is run by exactly one", async () => {
    if (!there()) return;
    await using here = await place(kind, postgres());
    const store = await here.open({ waitMs: 60_000 });
    const ids = Array.from({ length: 50 }, (_, i) => `c${i}`);
    for (const id of ids) {
      await store.approvals.ask(asked({ id }));
      await store.approvals.decide("default", id, { approve: true, arguments: {}, by: "t" });
    }
    const program = join(root, "test/fixtures/records/racer.ts");
    // Two hundred hosts, ten in a process.
    const racers = Array.from({ length: 20 }, () =>
      Bun.spawn([...bunAlone, program, here.url, "10", ...ids], { stdout: "pipe" }),
    );
    const won = await Promise.all(
      racers.map(async (racer) => JSON.parse(await racer.stdout.text()) as string[]),
    );
    expect(won.flat().toSorted()).toEqual(ids.toSorted());
    const states = await store.approvals.list(undefined, ["completed"]);
    expect(states).toHaveLength(50);
  }, 60_000);
});

// --- internal ---

async function startedAt(here: Place, step: string, ...ids: string[]) {
  const program = join(root, "test/fixtures/records/holder.ts");
  const proc = Bun.spawn([...bunAlone, program, here.url, step, ...ids], { stdout: "pipe" });
  const reader = proc.stdout.getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe("there\n");
  return {
    async [Symbol.asyncDispose]() {
      proc.kill("SIGKILL");
      await proc.exited;
    },
  };
}

async function killedAt(here: Place, step: string, ...ids: string[]): Promise<void> {
  await using _killed = await startedAt(here, step, ...ids);
}
