import { expect, test } from "bun:test";

import type { McpClient, ToolList } from "../../lib/client/types.ts";
import { ToolCache } from "../../lib/host/tool-list.ts";

/** One that says so, or does not, may have other tools later. */
function someone(capabilities: McpClient["capabilities"] = {}): McpClient {
  return { capabilities, closed: new Promise(() => {}) } as unknown as McpClient;
}

const client = someone();

/** A cache whose fetches are let go one by one; each gives a tool named by its number. */
function gated() {
  const gates: PromiseWithResolvers<void>[] = [];
  const cache = new ToolCache(async (): Promise<ToolList> => {
    const gate = Promise.withResolvers<void>();
    const name = `t${gates.push(gate)}`;
    await gate.promise;
    return { tools: [{ name, inputSchema: {}, raw: {} }], warnings: [] };
  });
  const open = async (count: number) => {
    while (gates.length < count) await Bun.sleep(0);
    gates[count - 1]!.resolve();
  };
  return { cache, gates, open };
}

async function names(got: ReturnType<ToolCache["get"]>): Promise<string[]> {
  return (await got).tools.map((tool) => tool.name);
}

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
