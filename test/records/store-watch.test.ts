/** The file of an open store that goes away under who has it open. */
import { expect, test } from "bun:test";
import { rename, unlink } from "node:fs/promises";

import type { LogEntry } from "../../lib/base/log.ts";
import { watchStore } from "../../lib/cli/store-watch.ts";
import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";

test.each([
  ["was deleted", (file: string) => unlink(file)],
  [
    "was replaced by another",
    async (file: string) => {
      await Bun.write(`${file}-2`, "");
      await rename(`${file}-2`, file);
    },
  ],
])("that it %s is said once", async (what, change) => {
  await using folder = await tempDir();
  const file = folder.file("store.db");
  await Bun.write(file, "");
  const logged: LogEntry[] = [];
  using _watching = await watchStore(file, (entry) => void logged.push(entry), 5);
  // What is written into it changes nothing.
  await Bun.write(file, "more");
  await Bun.sleep(30);
  expect(logged).toEqual([]);
  await change(file);
  await waitFor(() => logged.length > 0);
  await Bun.sleep(30);
  expect(logged).toMatchObject([{ level: "error", text: expect.stringContaining(what) }]);
});
