/** SQLite that is locked, full or refuses a step: a clear error in time, and nothing lost. */
import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { asked, place } from "./kit.ts";

test("one that another process locks is an error in time, and works when it is free", async () => {
  await using here = await place("sqlite", undefined);
  const store = await here.open({ waitMs: 300 });
  const other = new Bun.SQL({ adapter: "sqlite", filename: here.url });
  const held = Promise.withResolvers<void>();
  const lock = other.begin("exclusive", () => held.promise);
  const startedAt = performance.now();
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 10);
  const error = await store.approvals.ask(asked()).catch((each: unknown) => each);
  clearInterval(timer);
  expect(error).toMatchObject({ code: "config", facts: { fault: "busy" } });
  expect(performance.now() - startedAt).toBeLessThan(2000);
  // Waiting for it holds up nothing else in the process.
  expect(turns).toBeGreaterThan(2);
  const retried = store.approvals.ask(asked({ id: "later" }));
  held.resolve();
  await lock;
  await other.close();
  await retried;
  expect((await store.approvals.get("default", "later"))?.state).toBe("pending");
});

test("while steps are held, one that must hold is refused, also beside others", async () => {
  await using here = await place("sqlite", undefined);
  const store = await here.open({ waitMs: 100 });
  const other = new Bun.SQL({ adapter: "sqlite", filename: here.url });
  const held = Promise.withResolvers<void>();
  const lock = other.begin("exclusive", () => held.promise);
  const event = { owner: "default", event: "proposed", at: Date.now() } as const;
  const sent = { id: "c", owner: "default", server: "s", tool: "t" };
  await store.journal.write({ events: [{ ...event, call: "c0" }] });
  const hard = store.journal.write({ sent }, true);
  await store.journal.write({ events: [{ ...event, call: "c1" }] });
  await expect(hard).rejects.toMatchObject({ code: "config", facts: { fault: "busy" } });
  held.resolve();
  await lock;
  await other.close();
  await waitFor(
    () => here.logged.some(({ text }) => text.includes("is written again")),
    () => JSON.stringify(here.logged),
  );
  const rows = await store.auditRows({}, { after: 0, limit: 100 });
  expect(rows.map(({ call }) => call)).toEqual(["c0", "c1"]);
});

test("a step that no database takes keeps nobody waiting who came with it, and nothing else is lost", async () => {
  await using here = await place("sqlite", undefined);
  const store = await here.open();
  const event = { owner: "default", event: "proposed", at: Date.now() } as const;
  const bad = { events: [{ ...event, call: "bad", detail: { n: 1n as never } }] };
  const sent = { id: "c", owner: "default", server: "s", tool: "t" };
  const writes = [
    store.journal.write({ events: [{ ...event, call: "c0" }] }),
    store.journal.write(bad),
    store.journal.write({ sent, events: [{ ...event, call: "c1" }] }, true),
    store.journal.write(bad, true),
    store.journal.write({ events: [{ ...event, call: "c2" }] }),
  ];
  const ends = await Promise.allSettled(writes);
  const [kept, refused] = ["fulfilled", "rejected"];
  expect(ends.map(({ status }) => status)).toEqual([kept, kept, kept, refused, kept] as never);
  const rows = await store.auditRows({}, { after: 0, limit: 100 });
  expect(rows.map(({ call }) => call).toSorted()).toEqual(["c0", "c1", "c2"]);
  const said = here.logged.filter(({ level }) => level === "error").map(({ text }) => text);
  expect(said).toEqual(
    Array(2).fill(expect.stringContaining("cannot be written to the audit log")),
  );
}, 10_000);

test("on a full disk the error says so; steps of calls are held, and written when there is room", async () => {
  if (process.getuid?.() !== 0 || process.platform !== "linux") {
    console.error("only root can mount a small disk: the test of a full one is skipped");
    return;
  }
  await using disk = await smallDisk();
  if (disk === undefined) return;
  await using here = await place("sqlite", undefined);
  const store = await here.open({ url: join(disk.path, "store.db") });
  const { code } = await disk.fill();
  expect(code).toBe("ENOSPC");
  const failed: unknown[] = [];
  for (let i = 0; i < 100 && failed.length === 0; i += 1) {
    const call = asked({ proposed: { text: "x".repeat(20_000) } });
    await store.approvals.ask(call).catch((error: unknown) => failed.push(error));
  }
  expect(failed).toMatchObject([{ code: "config", facts: { fault: "full" } }]);
  const event = { owner: "default", event: "proposed", at: Date.now() } as const;
  const detail = { text: "y".repeat(15_000) };
  const startedAt = performance.now();
  for (let i = 0; i < 20; i += 1)
    await store.journal.write({ events: [{ ...event, call: `c${i}`, detail }] });
  expect(performance.now() - startedAt).toBeLessThan(5000);
  const sent = { id: "c", owner: "default", server: "s", tool: "t" };
  await expect(store.journal.write({ sent }, true)).rejects.toMatchObject({ code: "config" });
  await disk.free();
  await waitFor(
    () => here.logged.some(({ text }) => text.includes("is written again")),
    () => JSON.stringify(here.logged),
  );
  const rows = await store.auditRows({}, { after: 0, limit: 100 });
  expect(rows.map(({ call }) => call)).toEqual(Array.from({ length: 20 }, (_, i) => `c${i}`));
  expect(await store.uncertainCalls(undefined)).toEqual([]);
});

// --- internal ---

interface Disk extends AsyncDisposable {
  path: string;
  fill(): Promise<{ code: string | undefined }>;
  free(): Promise<void>;
}

/** A disk of half a megabyte; undefined where mounting is forbidden. */
async function smallDisk(): Promise<Disk | undefined> {
  const dir = await tempDir();
  const path = dir.file("disk");
  await mkdir(path);
  const mount = ["mount", "-t", "tmpfs", "-o", "size=512k,mode=0700", "tmpfs", path];
  const mounted = Bun.spawnSync(mount, { stderr: "pipe" });
  if (mounted.exitCode !== 0) {
    console.error(`no small disk: ${mounted.stderr.toString().trim()}`);
    await dir[Symbol.asyncDispose]();
    return undefined;
  }
  const ballast = join(path, "ballast");
  return {
    path,
    async fill() {
      const { appendFile } = await import("node:fs/promises");
      try {
        for (;;) await appendFile(ballast, "x".repeat(4096));
      } catch (error) {
        return { code: (error as NodeJS.ErrnoException).code };
      }
    },
    free: async () => (await import("node:fs/promises")).rm(ballast),
    async [Symbol.asyncDispose]() {
      Bun.spawnSync(["umount", "-l", path]);
      await dir[Symbol.asyncDispose]();
    },
  };
}
