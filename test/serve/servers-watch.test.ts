/** Files that are watched: told once what changed, whatever else happens in their folders. */
import { expect, test } from "bun:test";
import { appendFile, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";

import type { LogEntry } from "../../lib/base/log.ts";
import { FilesWatch } from "../../lib/serve/servers-watch.ts";
import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";

/** Longer than a watch waits until all is quiet. */
const quietShortMs = 20;
const settledMs = 250;

async function watching(
  files: string[],
  { since = Date.now() + 60_000, quietMs = quietShortMs, everyMs = 5000 } = {},
) {
  const logged: LogEntry[] = [];
  const it = { changes: 0, logged };
  const watch = new FilesWatch({
    log: (entry) => void logged.push(entry),
    onChange: () => void (it.changes += 1),
    quietMs,
    everyMs,
  });
  await watch.follow(files, since);
  return {
    ...it,
    watch,
    get changes() {
      return it.changes;
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  };
}

test("written in place, replaced, removed and made again: each is told once", async () => {
  await using folder = await tempDir();
  const file = folder.file("c.json");
  await writeFile(file, "1");
  using it = await watching([file]);
  const steps = [
    () => writeFile(file, "22"),
    async () => {
      await writeFile(folder.file("tmp"), "3");
      await rename(folder.file("tmp"), file);
    },
    () => writeFile(file, "4444"),
    () => rm(file),
    () => writeFile(file, "5"),
  ];
  for (const [at, step] of steps.entries()) {
    await step();
    await waitFor(() => it.changes === at + 1, `step ${at}`);
  }
  await Bun.sleep(settledMs);
  expect(it.changes).toBe(steps.length);
});

test("a file that is written bit by bit is told of when it is whole", async () => {
  await using folder = await tempDir();
  const file = folder.file("c.json");
  await writeFile(file, "");
  using it = await watching([file], { quietMs: 300 });
  for (let part = 0; part < 20; part++) {
    await appendFile(file, "part");
    await Bun.sleep(20);
  }
  await waitFor(() => it.changes > 0);
  await Bun.sleep(700);
  expect(it.changes).toBe(1);
});

test("what else happens in the folder, all the time, is no change, and hides none", async () => {
  await using folder = await tempDir();
  const file = folder.file("c.json");
  await writeFile(file, "1");
  using it = await watching([file]);
  const end = new AbortController();
  const noise = (async () => {
    while (!end.signal.aborted) {
      await appendFile(folder.file("log"), "line\n");
      await Bun.sleep(2);
    }
  })();
  await Bun.sleep(settledMs);
  expect(it.changes).toBe(0);
  await writeFile(file, "22");
  await waitFor(() => it.changes === 1);
  end.abort();
  await noise;
});

test("what changed between the reading and the watching is told", async () => {
  await using folder = await tempDir();
  const file = folder.file("c.json");
  const readAt = Date.now() - 1000;
  await writeFile(file, "1");
  using late = await watching([file], { since: readAt });
  await waitFor(() => late.changes === 1);
});

test("a link that is turned, as volumes of containers do it", async () => {
  await using folder = await tempDir();
  for (const place of ["one", "two"]) {
    await mkdir(folder.file(place));
    await writeFile(folder.file(`${place}/c`), place);
  }
  await symlink("one", folder.file("..data"));
  await symlink("..data/c", folder.file("c"));
  using it = await watching([folder.file("c")]);
  await symlink("two", folder.file("..next"));
  await rename(folder.file("..next"), folder.file("..data"));
  await waitFor(() => it.changes === 1);
  await writeFile(folder.file("two/c"), "another");
  await waitFor(() => it.changes === 2);
});

test("a folder that comes late, is taken away, or replaced by another: what is in it then counts", async () => {
  await using folder = await tempDir();
  const file = folder.file("etc/c.json");
  using it = await watching([file], { everyMs: 50 });
  const make = async (name: string, text: string) => {
    await mkdir(folder.file(name));
    await writeFile(folder.file(name, "c.json"), text);
  };
  const steps = [
    () => make("etc", "1"),
    () => writeFile(file, "22"),
    async () => {
      await make("new", "333");
      await rename(folder.file("etc"), folder.file("old"));
      await rename(folder.file("new"), folder.file("etc"));
    },
    () => writeFile(file, "4444"),
    () => rm(folder.file("etc"), { recursive: true }),
    () => make("etc", "55555"),
    () => writeFile(file, "6"),
  ];
  for (const [at, step] of steps.entries()) {
    await step();
    await waitFor(() => it.changes === at + 1, `step ${at}`);
  }
  await writeFile(folder.file("old/c.json"), "7");
  await Bun.sleep(settledMs);
  expect(it.changes).toBe(steps.length);
  expect(it.logged.filter(({ level }) => level !== "debug")).toEqual([]);
});

test("one that took a folder's place is watched, not only looked at", async () => {
  await using folder = await tempDir();
  const file = folder.file("etc/c.json");
  for (const name of ["etc", "new"]) {
    await mkdir(folder.file(name));
    await writeFile(folder.file(name, "c.json"), name);
  }
  using it = await watching([file], { everyMs: 3_600_000 });
  await rename(folder.file("etc"), folder.file("old"));
  await rename(folder.file("new"), folder.file("etc"));
  await waitFor(() => it.changes === 1);
  await writeFile(file, "22");
  await waitFor(() => it.changes === 2);
});

test("files that are followed no more are told of no more; nor is anything at the end", async () => {
  await using folder = await tempDir();
  const [one, two] = [folder.file("one"), folder.file("two")];
  await writeFile(one, "1");
  await writeFile(two, "1");
  using it = await watching([one]);
  await it.watch.follow([two], Date.now() + 60_000);
  await writeFile(one, "22");
  await Bun.sleep(settledMs);
  expect(it.changes).toBe(0);
  await writeFile(two, "22");
  await waitFor(() => it.changes === 1);
  it.watch[Symbol.dispose]();
  await writeFile(two, "333");
  await Bun.sleep(settledMs);
  expect(it.changes).toBe(1);
});
