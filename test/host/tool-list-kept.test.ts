/** Lists of tools that may be kept for a time, that an earlier run kept, or that were begun ahead. */
import { expect, test } from "bun:test";

import type { ToolList } from "../../lib/client/types.ts";
import { ToolCache } from "../../lib/host/tool-list.ts";
import { client, gated, names, someone } from "./tool-list-kit.ts";

/** A list that may be kept for a moment, or for long. */
function timed(freshMs: number) {
  const asked: boolean[] = [];
  const cache = new ToolCache(async (_client, mayBeKept): Promise<ToolList> => {
    asked.push(mayBeKept);
    return { tools: [], warnings: [], freshUntil: performance.now() + freshMs };
  });
  return { cache, asked };
}

test("a list whose time is over is fetched anew for who wants the list, not for who calls", async () => {
  const { cache, asked } = timed(0);
  await cache.get(client);
  await cache.get(client);
  expect(asked).toHaveLength(1);
  await cache.get(client, { listing: true });
  await cache.get(client, { listing: true });
  expect(asked).toHaveLength(3);
});

test("a list that is fresh is fetched once for both, until a change is told", async () => {
  const { cache, asked } = timed(60_000);
  await cache.get(client, { listing: true });
  await cache.get(client, { listing: true });
  await cache.get(client);
  expect(asked).toHaveLength(1);
  cache.changed();
  await cache.get(client);
  expect(asked).toHaveLength(2);
});

test("what an earlier run kept would do for the first call, and for nothing else", async () => {
  const calls = timed(0);
  await calls.cache.get(client);
  calls.cache.changed();
  await calls.cache.get(client);
  await calls.cache.get(someone());
  expect(calls.asked).toEqual([true, false, false]);
  const lists = timed(0);
  await lists.cache.get(client, { listing: true });
  expect(lists.asked).toEqual([false]);
});

test("a list that says when it is from keeps that", async () => {
  const cache = new ToolCache(async () => ({ tools: [], warnings: [], at: -Infinity }));
  expect((await cache.get(client)).at).toBe(-Infinity);
});

test("what was begun ahead is for who asks first, and no second fetch", async () => {
  const { cache, gates, open } = gated();
  cache.begin(client);
  cache.begin(client);
  const first = cache.get(client);
  await open(1);
  expect(await names(first)).toEqual(["t1"]);
  cache.begin(client);
  expect(await names(cache.get(client))).toEqual(["t1"]);
  expect(gates).toHaveLength(1);
});

test("what was begun ahead is no older than the question of who asks first; what was kept is", async () => {
  const { cache, open } = gated();
  cache.begin(client);
  await open(1);
  while (cache.isFetching) await Bun.sleep(0);
  const askedAt = performance.now();
  expect((await cache.get(client)).at).toBeGreaterThanOrEqual(askedAt);
  const kept = new ToolCache(async () => ({ tools: [], warnings: [], at: -Infinity }));
  kept.begin(client);
  expect((await kept.get(client)).at).toBe(-Infinity);
});

test("the error of what was begun ahead is for who asks first, and the next one has a fetch of its own", async () => {
  let fetches = 0;
  const cache = new ToolCache(async (): Promise<ToolList> => {
    fetches += 1;
    if (fetches === 1) throw new Error("not now");
    return { tools: [], warnings: [] };
  });
  cache.begin(client);
  while (cache.isFetching) await Bun.sleep(0);
  await expect(cache.get(client)).rejects.toThrow("not now");
  expect(fetches).toBe(1);
  expect(await names(cache.get(client))).toEqual([]);
  expect(fetches).toBe(2);
});
