/** A store that cannot be opened. */
import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";

import { tempDir } from "../harness.ts";
import { entry, serveConfig } from "./config-kit.ts";

test("a folder in the place of the store: calls go on, and it is said in one entry of the log each time", async () => {
  await using state = await tempDir();
  await mkdir(state.file("mcphost/store.db"), { recursive: true });
  await using it = await serveConfig(
    { mcpServers: { one: entry() } },
    { env: { XDG_STATE_HOME: state.path } },
  );
  expect(await it.call("echo", { a: 1 })).toContain('{"a":1}');
  expect(await it.call("echo", { a: 2 })).toContain('{"a":2}');
  it.kill("SIGTERM");
  await it.exited;
  const lines = (await it.stderr).split("\n").filter((line) => line !== "");
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => !line.startsWith('{"event":"log"'))).toEqual([]);
});
