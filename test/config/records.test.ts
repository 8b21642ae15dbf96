/** `store` and `audit` of a config: what they may say, and that a project cannot move where things are kept. */
import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";

import { isHostError } from "../../lib/base/errors.ts";
import { loadConfig } from "../../lib/config/load.ts";
import { tempDir } from "../harness.ts";

async function loaded(document: object) {
  await using dir = await tempDir();
  await writeFile(dir.file("c.json"), JSON.stringify({ mcpServers: {}, ...document }));
  const { records, warnings } = await loadConfig({
    files: [dir.file("c.json")],
    cwd: dir.path,
    env: {},
  });
  const { origin: _, ...said } = records;
  return { said, warnings, folder: dir.path };
}

test("a place as it is written, and what the log does", async () => {
  expect((await loaded({ store: "postgres://${DB}" })).said).toEqual({ store: "postgres://${DB}" });
  expect((await loaded({ audit: false })).said).toEqual({ audit: false });
  const { said, warnings, folder } = await loaded({
    audit: { file: "events.jsonl", stderr: true, days: 7, eventsMax: 1000 },
  });
  expect(said).toEqual({
    audit: true,
    file: `${folder}/events.jsonl`,
    stderr: true,
    days: 7,
    eventsMax: 1000,
  });
  expect(warnings).toEqual([]);
});

test.each([
  [{ store: 5 }, /store: expected a string, found 5|store: expected a string/],
  [{ store: "" }, /store: expected a file, or a postgres:\/\/ address/],
  [{ audit: "yes" }, /audit: expected true, false, or an object of file, stderr, days, eventsMax/],
  [{ audit: { day: 1 } }, /audit/],
  [{ audit: { days: 0 } }, /audit/],
])("what is wrong is told: %p", async (document, expected) => {
  const error: unknown = await loaded(document).catch((each: unknown) => each);
  expect(isHostError(error) && error.code).toBe("config");
  expect(String(error)).toMatch(expected);
});

test("a project that was found says nothing about it", async () => {
  await using dir = await tempDir();
  await mkdir(dir.file("home", "config", "mcphost"), { recursive: true });
  await writeFile(dir.file("mcphost.json"), JSON.stringify({ store: "here.db", audit: false }));
  const env = { HOME: dir.file("home"), XDG_CONFIG_HOME: dir.file("home", "config") };
  const user = dir.file("home", "config", "mcphost", "config.json");
  await writeFile(user, JSON.stringify({ audit: { days: 3 } }));
  const { records, warnings } = await loadConfig({ cwd: dir.path, env });
  expect(records).toEqual({ audit: true, days: 3 });
  expect(warnings).toContainEqual(expect.stringContaining("its store and audit have no effect"));
});
