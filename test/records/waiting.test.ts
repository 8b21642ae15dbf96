/** Tools and servers that change while a call waits for approval. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";

import type { ServerConfig } from "../../lib/config/types.ts";
import { approve, reject } from "../../lib/host/deciding.ts";
import { textOf } from "../host/kit.ts";
import { waitFor } from "../processes.ts";
import { ask, runs, stateOf, told, world } from "./waiting-kit.ts";

setDefaultTimeout(30_000);

test("a tool that changed while it was asked about is not called; the difference is told", async () => {
  await using here = await world();
  const { id, outcome } = await here.asked({ by: 1 });
  await writeFile(here.home.file("words"), "Deletes everything");
  // Another list: its server is started anew.
  await here.host.rest("one");
  await here.host.tools();
  await approve(here.store, told(id));
  expect(textOf(await outcome)).toMatch(
    /^denied: .*was changed while it waited for approval: description was "Counts" and is "Deletes/,
  );
  expect(await stateOf(here, id)).toBe("cancelled");
  expect(await runs(here)).toEqual([]);
});

test("a server that was removed while a call waited, or was replaced, is not called", async () => {
  for (const next of ["none", "other"]) {
    await using here = await world();
    const { id, outcome } = await here.asked({ by: 1 });
    const other = {
      ...here.entry,
      args: [...("args" in here.entry ? here.entry.args : []), "more"],
    };
    const servers = next === "none" ? [] : [other as ServerConfig];
    await here.host.reconfigure({ servers, policy: [ask], graceMs: 100 });
    await approve(here.store, told(id));
    expect((await outcome).status).not.toBe("completed");
    expect(await runs(here)).toEqual([]);
    expect(await stateOf(here, id)).toBe("cancelled");
  }
});

test("a call is known by the configuration of its server, whatever the name", async () => {
  await using here = await world();
  const { id, outcome } = await here.asked({ by: 1 });
  const { config } = (await here.store.approvals.get(undefined, id))!;
  const keys = await here.host.serverKeys();
  expect(keys).toEqual([{ name: "one", config }]);
  const other = { ...here.entry, env: { RUNS: here.home.file("others") } } as ServerConfig;
  await here.host.reconfigure({ servers: [other], policy: [ask], graceMs: 100 });
  expect(await here.host.serverKeys()).toEqual([
    { name: "one", config: expect.not.stringContaining(config) },
  ]);
  await reject(here.store, told(id), "no");
  expect(textOf(await outcome)).toMatch(/^denied/);
});

test("arguments that fit the schema no more are refused, and the call waits on", async () => {
  await using here = await world();
  const { id, outcome } = await here.asked({ by: 1 });
  await expect(approve(here.store, told(id), { arguments: { by: "x" } })).rejects.toThrow(
    "expected number",
  );
  expect(await stateOf(here, id)).toBe("pending");
  await approve(here.store, told(id));
  expect(textOf(await outcome)).toBe("1");
  await waitFor(
    async () => (await stateOf(here, id)) === "completed",
    () => "not completed",
  );
});
