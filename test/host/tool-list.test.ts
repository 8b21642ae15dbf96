/** The list of a server's tools: fetched once for many, and anew when a change is told. */
import { expect, test } from "bun:test";

import type { ToolList } from "../../lib/client/types.ts";
import { ToolCache } from "../../lib/host/tool-list.ts";
import { client, gated, names, someone } from "./tool-list-kit.ts";

test("what is fresh is fetched once, for many at the same time too", async () => {
  const { cache, gates, open } = gated();
  const both = [cache.get(client), cache.get(client)];
  await open(1);
  expect(await names(both[0]!)).toEqual(["t1"]);
  expect(await names(both[1]!)).toEqual(["t1"]);
  expect(await names(cache.get(client))).toEqual(["t1"]);
  expect(gates).toHaveLength(1);
});

test("a burst of changes is news once and makes one fetch, when somebody wants it", async () => {
  const { cache, gates, open } = gated();
  const first = cache.get(client);
  await open(1);
  await first;
  const news = Array.from({ length: 200 }, () => cache.changed());
  expect(news.filter(Boolean)).toHaveLength(1);
  expect(gates).toHaveLength(1);
  const second = cache.get(client);
  await open(2);
  expect(await names(second)).toEqual(["t2"]);
});

test("a change told during a fetch is not lost: who asks afterwards gets a later list", async () => {
  const { cache, gates, open } = gated();
  const before = cache.get(client);
  expect(cache.changed()).toBe(true);
  const after = [cache.get(client), cache.get(client), cache.get(client)];
  await open(1);
  await open(2);
  expect(await names(before)).toEqual(["t1"]);
  for (const each of after) expect(await names(each)).toEqual(["t2"]);
  expect(gates).toHaveLength(2);
});

test("an endless trickle of changes holds nobody up", async () => {
  const { cache, gates, open } = gated();
  for (let round = 1; round <= 5; round++) {
    const got = cache.get(client);
    cache.changed();
    await open(round);
    expect(await names(got)).toEqual([`t${round}`]);
    cache.changed();
  }
  expect(gates).toHaveLength(5);
});

test("another process is another list", async () => {
  const { cache, open } = gated();
  const first = cache.get(client);
  await open(1);
  await first;
  const second = cache.get(someone());
  await open(2);
  expect(await names(second)).toEqual(["t2"]);
});

test("a failed fetch is not kept", async () => {
  let tries = 0;
  const cache = new ToolCache(() =>
    tries++ === 0 ? Promise.reject(new Error("no")) : Promise.resolve({ tools: [], warnings: [] }),
  );
  expect(cache.get(client)).rejects.toThrow("no");
  await Bun.sleep(0);
  expect((await cache.get(client)).tools).toEqual([]);
});

/** A server that has tools from its second list on. */
function late(listChanged: boolean) {
  let fetches = 0;
  const cache = new ToolCache(async (): Promise<ToolList> => {
    fetches += 1;
    const tools = fetches === 1 ? [] : [{ name: `t${fetches}`, inputSchema: {}, raw: {} }];
    return { tools, warnings: [] };
  });
  return { cache, bridge: someone({ tools: { listChanged } }), fetches: () => fetches };
}

test("a first list that is empty and may change is waited for until a change is told, by all who ask", async () => {
  const { cache, bridge, fetches } = late(true);
  const both = [cache.get(bridge), cache.get(bridge)];
  while (fetches() === 0) await Bun.sleep(0);
  expect(cache.changed()).toBe(true);
  for (const each of both) expect(await names(each)).toEqual(["t2"]);
  expect(await names(cache.get(bridge))).toEqual(["t2"]);
  expect(fetches()).toBe(2);
});

test("one that does not change is as it is", async () => {
  const { cache, bridge, fetches } = late(false);
  expect(await names(cache.get(bridge))).toEqual([]);
  expect(fetches()).toBe(1);
});
