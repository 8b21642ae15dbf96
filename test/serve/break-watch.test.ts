/** A config file that never rests. */
import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";

import { FilesWatch } from "../../lib/serve/servers-watch.ts";
import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";

test("what changes all the time is told of now and then, and once when it rests", async () => {
  await using folder = await tempDir();
  const file = folder.file("c.json");
  await writeFile(file, "");
  const told: number[] = [];
  using watch = new FilesWatch({ log: () => {}, onChange: () => void told.push(0), quietMs: 20 });
  await watch.follow([file], Date.now() + 60_000);
  let written = 0;
  while (told.length < 2 && written < 2000) {
    await writeFile(file, `${(written += 1)}`);
    await Bun.sleep(5);
  }
  expect(told).toHaveLength(2);
  expect(written).toBeGreaterThan(4);
  await waitFor(() => told.length > 2);
  await Bun.sleep(200);
  expect(told).toHaveLength(3);
}, 20_000);
