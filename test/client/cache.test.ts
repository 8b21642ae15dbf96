/** Answers that are kept: for how long, for whom, and what ends that. */
import { expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { counted, faked } from "./cache-kit.ts";

test("what is fresh is not asked for again, and is asked for when its time is over", async () => {
  const { cache, clock, asked } = faked(counted({ ttlMs: 50, cacheScope: "public" }));
  const kept = cache();
  expect((await kept.request("resources/list", {})).result["n"]).toBe(1);
  clock.now += 49;
  expect((await kept.request("resources/list", {})).result["n"]).toBe(1);
  clock.now += 1;
  expect((await kept.request("resources/list", {})).result["n"]).toBe(2);
  expect(asked).toHaveLength(2);
});

test.each([[0], [-5], [undefined], ["100"], [null]])(
  "a ttlMs of %p keeps nothing",
  async (ttlMs) => {
    const more: JsonObject = ttlMs === undefined ? {} : { ttlMs };
    const { cache, asked } = faked(counted(more));
    const kept = cache();
    await kept.request("resources/list", {});
    await kept.request("resources/list", {});
    expect(asked).toHaveLength(2);
  },
);

test("each method with its params is an entry of its own, pages too", async () => {
  const { cache, asked } = faked(counted({ ttlMs: 1000 }));
  const kept = cache();
  for (const params of [{}, { cursor: "" }, { cursor: "a" }])
    for (const method of ["resources/list", "prompts/list", "resources/templates/list"])
      await kept.request(method, params);
  for (const uri of ["a:1", "a:2"]) await kept.request("resources/read", { uri });
  expect(asked).toHaveLength(11);
  expect((await kept.request("prompts/list", { cursor: "" })).result["n"]).toBe(5);
  expect(asked).toHaveLength(11);
});

test("methods that are no cacheable ones are always asked, whatever their answers say", async () => {
  const { cache, asked } = faked(counted({ ttlMs: 1000 }));
  const kept = cache();
  for (const method of ["prompts/get", "completion/complete", "constructor"])
    for (let i = 0; i < 2; i++) await kept.request(method, {});
  expect(asked).toHaveLength(6);
});

test("two clients share nothing, even what is public", async () => {
  const { cache, asked } = faked(counted({ ttlMs: 1000, cacheScope: "public" }));
  await cache().request("resources/list", {});
  await cache().request("resources/list", {});
  expect(asked).toHaveLength(2);
});

test("an answer that took input rounds is not kept", async () => {
  const { cache, asked } = faked(counted({ ttlMs: 1000, asks: true }));
  const kept = cache();
  await kept.request("resources/read", { uri: "a:1" });
  await kept.request("resources/read", { uri: "a:1" });
  expect(asked).toHaveLength(2);
});

test("a notification ends what it concerns, and only that", async () => {
  const { cache, asked, tell } = faked(counted({ ttlMs: 1000 }));
  const kept = cache();
  const all = async () => {
    const before = asked.length;
    await kept.request("prompts/list", {});
    await kept.request("resources/list", {});
    await kept.request("resources/templates/list", {});
    await kept.request("resources/read", { uri: "a:1" });
    await kept.request("resources/read", { uri: "a:2" });
    return asked.slice(before);
  };
  await all();
  expect(await all()).toEqual([]);
  tell("notifications/prompts/list_changed");
  expect(await all()).toEqual(["prompts/list"]);
  tell("notifications/resources/list_changed");
  expect(await all()).toEqual(["resources/list", "resources/templates/list"]);
  tell("notifications/resources/updated", { uri: "a:2/part" });
  expect(await all()).toEqual(["resources/read"]);
  tell("notifications/tools/list_changed");
  expect(await all()).toEqual([]);
});

test("an answer that was under way during a change is not kept", async () => {
  const gate = Promise.withResolvers<void>();
  const { cache, asked, tell } = faked(async (_m, _p, n) => {
    if (n === 1) await gate.promise;
    return { n, ttlMs: 1000 };
  });
  const kept = cache();
  const first = kept.request("prompts/list", {});
  tell("notifications/prompts/list_changed");
  gate.resolve();
  expect((await first).result["n"]).toBe(1);
  expect((await kept.request("prompts/list", {})).result["n"]).toBe(2);
  expect(asked).toHaveLength(2);
});

test("a legacy server's lists are kept until it tells of a change, where it declares that it does", async () => {
  const capabilities = { prompts: { listChanged: true }, resources: { listChanged: false } };
  const { cache, asked, tell } = faked(counted({ ttlMs: 9 }), { era: "legacy", capabilities });
  const kept = cache();
  for (let i = 0; i < 2; i++) {
    await kept.request("prompts/list", {});
    await kept.request("resources/list", {});
    await kept.request("resources/read", { uri: "a:1" });
  }
  expect(asked.filter((method) => method === "prompts/list")).toHaveLength(1);
  expect(asked).toHaveLength(5);
  tell("notifications/prompts/list_changed");
  await kept.request("prompts/list", {});
  expect(asked).toHaveLength(6);
});

test("the exact text is kept, and each reader gets a value of its own", async () => {
  const result = { ttlMs: 1000, _meta: { "x/y": 1 }, unknown: { __proto__: null, z: [1] } };
  const { cache } = faked(() => ({ ...result }));
  const kept = cache();
  const first = await kept.request("resources/list", {});
  const second = await kept.request("resources/list", {});
  expect(second.raw()).toBe(first.raw());
  second.result["_meta"] = "spoilt";
  const third = await kept.request("resources/list", {});
  expect(third.result["_meta"]).toEqual({ "x/y": 1 });
});
