/** The file of SQLite: its mode and folder, and one that is damaged, newer or cannot be written. */
import { expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { isHostError } from "../../lib/base/errors.ts";
import { tempDir } from "../harness.ts";
import { asked, place } from "./kit.ts";

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
