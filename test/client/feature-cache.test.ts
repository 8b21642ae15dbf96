/** Lists that are kept: each page for itself, as fresh as they say, and begun again after a refused cursor. */
import { expect, test } from "bun:test";

import { AnswerCache } from "../../lib/client/cache.ts";
import { listPrompts } from "../../lib/client/prompts.ts";
import { listResources } from "../../lib/client/resources.ts";
import { over, refused } from "./features-kit.ts";

test("pages are kept each for itself, and a refused cursor forgets all of them", async () => {
  let refuse = false;
  const { client, server } = await over("modern", {
    "resources/list": (message, far) => {
      const { cursor } = message.params;
      if (cursor === undefined)
        return { resources: [{ uri: "a:1" }], nextCursor: "c", ttlMs: 60_000 };
      if (refuse) return refused(message, far, -32602);
      return { resources: [{ uri: "a:2" }], ttlMs: 0 };
    },
  });
  await using _ = client;
  using cache = new AnswerCache(client);
  const asked = () => server.methods().filter((method) => method === "resources/list").length;
  expect((await listResources(cache)).items).toHaveLength(2);
  expect(asked()).toBe(2);
  // The first page is fresh, the second never is.
  expect((await listResources(cache)).items).toHaveLength(2);
  expect(asked()).toBe(3);
  refuse = true;
  expect((await listResources(cache)).failure).toMatchObject({ code: -32602 });
  // Refused, then the first page fetched again although it was fresh, then refused.
  expect(asked()).toBe(6);
});

test("tools: the list is as fresh as its least fresh page, and begins again after a refused cursor", async () => {
  let asked = 0;
  const { client } = await over("modern", {
    "tools/list": (message, far) => {
      asked++;
      if (!("cursor" in message.params))
        return {
          tools: [{ name: `t${asked}`, inputSchema: { type: "object" } }, 5],
          nextCursor: "c",
          ttlMs: 60_000,
        };
      return asked === 2 ? refused(message, far, -32602) : { tools: [], ttlMs: 5000 };
    },
  });
  await using _ = client;
  const before = performance.now();
  const { tools, warnings, freshUntil = 0 } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["t3"]);
  expect(warnings).toEqual(["entry 2 of the list is not an object: left out"]);
  expect(freshUntil).toBeGreaterThanOrEqual(before + 5000);
  expect(freshUntil).toBeLessThan(before + 60_000);
});

test("a refusal of the first page is no refusal of a cursor", async () => {
  const { client, server } = await over("modern", {
    "prompts/list": (message, far) => refused(message, far, -32602),
  });
  await using _ = client;
  expect(listPrompts(client)).rejects.toMatchObject({ code: -32602 });
  await client.ping();
  expect(server.methods().filter((method) => method === "prompts/list")).toHaveLength(1);
});

test("tools of a legacy server have no time", async () => {
  const { client } = await over("legacy", { "tools/list": () => ({ tools: [], ttlMs: 5 }) });
  await using _ = client;
  expect(await client.listTools()).toEqual({ tools: [], warnings: [] });
});
