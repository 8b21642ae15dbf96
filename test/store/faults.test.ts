/** Databases that are locked, full, damaged, newer, down or mute: a clear error in time, nothing lost, nothing hangs. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { isHostError } from "../../lib/base/errors.ts";
import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { asked, type Place, place } from "./kit.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

let postgres: Postgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

test("the file is ours alone, whatever the mode of one that is there", async () => {
  await using here = await place("sqlite", undefined);
  await mkdir(dirname(here.url), { recursive: true });
  await writeFile(here.url, "");
  await chmod(here.url, 0o666);
  const store = await here.open();
  await store.approvals.ask(asked());
  for (const name of await readdir(dirname(here.url))) {
    const { mode } = await stat(join(dirname(here.url), name));
    expect([name, (mode & 0o777).toString(8)]).toEqual([name, "600"]);
  }
});

test("a new folder is for our user alone", async () => {
  await using here = await place("sqlite", undefined);
  await here.open();
  expect(((await stat(dirname(here.url))).mode & 0o777).toString(8)).toBe("700");
});

test.each([
  ["is no database", "this is no database, but it is as long as a header has to be ".repeat(20)],
  ["was cut off", undefined],
])("a file that %s is kept under another name, and told", async (_name, text) => {
  await using here = await place("sqlite", undefined);
  if (text === undefined) {
    const store = await here.open();
    for (let i = 0; i < 50; i += 1) await store.approvals.ask(asked({ id: `c${i}` }));
    await store[Symbol.asyncDispose]();
    await writeFile(here.url, (await readFile(here.url)).subarray(0, 3000));
  } else {
    await mkdir(dirname(here.url), { recursive: true });
    await writeFile(here.url, text);
  }
  const bytes = await readFile(here.url);
  const store = await here.open();
  expect(await store.approvals.list(undefined, ["pending"])).toEqual([]);
  const aside = (await readdir(dirname(here.url))).find((name) => name.includes(".damaged-"));
  expect(await readFile(join(dirname(here.url), aside!))).toEqual(bytes);
  expect(here.logged).toMatchObject([{ level: "warn" }]);
  expect(here.logged[0]!.text).toContain(aside!);
});

test("a file that is broken further back is kept aside: at once where that shows, else at the next opening", async () => {
  await using here = await place("sqlite", undefined);
  const first = await here.open();
  const text = "x".repeat(2000);
  const event = { owner: "default", event: "proposed", at: Date.now(), detail: { text } } as const;
  for (let i = 0; i < 200; i += 1)
    await first.journal.write({ events: [{ ...event, call: `c${i}` }] });
  await first[Symbol.asyncDispose]();
  const bytes = await readFile(here.url);
  // The first pages are those of the other tables, and the last a part of the log.
  bytes.fill(0xff, bytes.length - 4096 * 4);
  await writeFile(here.url, bytes);
  const broken = await here.open();
  const all = { after: 0, limit: 1000 };
  const error = await broken.auditRows({}, all).catch((each: unknown) => each);
  expect(error).toMatchObject({ code: "config", facts: { fault: "damaged" } });
  await broken[Symbol.asyncDispose]();
  const next = await here.open();
  expect(await next.auditRows({}, all)).toEqual([]);
  expect(here.logged.filter(({ text: said }) => said.includes(".damaged-"))).toHaveLength(1);
  await next[Symbol.asyncDispose]();
  // Now where each opening looks.
  const whole = await readFile(here.url);
  whole.fill(0xff, 4096);
  await writeFile(here.url, whole);
  const last = await here.open();
  await last.approvals.ask(asked());
  expect(here.logged.filter(({ text: said }) => said.includes(".damaged-"))).toHaveLength(2);
});

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

test("an older program refuses what a newer one made, and leaves it as it is", async () => {
  await using here = await place("sqlite", undefined);
  await (await here.open())[Symbol.asyncDispose]();
  const sql = new Bun.SQL({ adapter: "sqlite", filename: here.url });
  await sql`update mcphost_store set version = 99`;
  await sql.close();
  const error = await here.open().catch((each: unknown) => each);
  expect(isHostError(error) && error.code).toBe("config");
  expect(String(error)).toContain("made by a newer mcphost: it has version 99");
  expect(await readdir(dirname(here.url))).not.toContainEqual(expect.stringContaining("damaged"));
});

test("a folder that cannot be written is told", async () => {
  await using dir = await tempDir();
  await writeFile(dir.file("file"), "");
  await using here = await place("sqlite", undefined);
  const error = await here.open({ url: dir.file("file", "store.db") }).catch((each) => each);
  expect(error).toMatchObject({ code: "config", facts: { fault: "readonly" } });
});

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
