/** What is kept of calls that wait for approval: where it is found, what is left out, and a store that cannot be used. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";

import type { Plugin } from "../../lib/hooks/plugin.ts";
import { openStore } from "../../lib/store/store.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import { textOf } from "../host/kit.ts";
import { world } from "./waiting-kit.ts";

setDefaultTimeout(30_000);

test("however many calls are over, one that waits is found by its id; nothing is found by no id", async () => {
  await using here = await world({ policy: [] });
  const folder = here.home.file("state/mcphost");
  await using store = await openStore({ folder, log: () => {} });
  const about = { owner: "default", server: "one", tool: "count", actor: "gateway", session: "s" };
  const hashes = { definition: "d", config: "c", survives: true, expiresAt: Date.now() + 60_000 };
  const keep = async (id: string) =>
    await store.approvals.ask({ ...about, ...hashes, id, question: "?", proposed: { by: 1 } });
  const id = "00000000-0000-4000-8000-000000000000";
  await keep(id);
  const approvals = (...words: string[]) =>
    mcphost("approvals", ...words)
      .home(here.home.path)
      .run();
  expectRun(await approvals("approve", ""), { code: 2, stderr: /the ID is empty/ });
  // Those that follow are newer, by the clock that rows are ordered by.
  await Bun.sleep(2);
  await Promise.all(
    Array.from({ length: 1001 }, async () => {
      const other = crypto.randomUUID();
      await keep(other);
      await store.approvals.cancel(other, "over");
    }),
  );
  expectRun(await approvals("reject", "00000000"), { code: 0, stdout: /^rejected 00000000 / });
});

test("a store that cannot be used refuses what is asked about, and nothing else", async () => {
  await using other = await tempDir();
  await writeFile(other.file("file"), "");
  const url = other.file("file", "store.db");
  await using here = await world({
    store: () => openStore({ url, folder: undefined, log: () => {} }),
  });
  expect(textOf(await here.host.call({ tool: "count", arguments: { by: 1 } }))).toMatch(
    /^denied: count of server "one" needs approval, and cannot get it: the store .*cannot be written/,
  );
  expect(textOf(await here.host.call({ tool: "plain" }))).toBe("plain");
});

function auditing(name: string, audit: NonNullable<NonNullable<Plugin["hooks"]>["audit"]>): Plugin {
  return { name, hooks: { audit } };
}

test("plugins take out of the log what must not be kept; at fault they cost an event its particulars", async () => {
  await using here = await world({
    policy: [],
    plugins: [
      auditing("cards", ({ event, detail }) =>
        event === "proposed" ? { detail: { ...detail, arguments: { by: "a number" } } } : undefined,
      ),
      auditing("broken", ({ event, outcome }) => {
        if (event === "answered") throw new Error("no");
        if (outcome === "allowed") return { detail: "x" } as never;
        if (event === "sent") return Promise.resolve({ detail: {} }) as never;
        return undefined;
      }),
    ],
  });
  expect(textOf(await here.host.call({ tool: "count", arguments: { by: 7 } }))).toBe("7");
  const rows = await here.store.auditRows({}, { after: 0, limit: 10 });
  const leftOut = { left_out: "by plugin broken" };
  expect(rows.map(({ event, detail }) => [event, detail])).toEqual([
    ["proposed", { arguments: { by: "a number" } }],
    ["decided", leftOut],
    ["sent", leftOut],
    ["answered", leftOut],
  ]);
  expect(here.logged.filter(({ text }) => text.includes('plugin "broken": audit:'))).toHaveLength(
    3,
  );
});
