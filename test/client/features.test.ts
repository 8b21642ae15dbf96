import { expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { AnswerCache } from "../../lib/client/cache.ts";
import { connect } from "../../lib/client/client.ts";
import { complete } from "../../lib/client/completion.ts";
import type { ConnectOptions } from "../../lib/client/connect-types.ts";
import { getPrompt, listPrompts } from "../../lib/client/prompts.ts";
import {
  isNotFound,
  listResources,
  listResourceTemplates,
  readResource,
} from "../../lib/client/resources.ts";
import type { McpClient } from "../../lib/client/types.ts";
import { legacyScript, metaOf, modernScript, scripted } from "./kit.ts";
import type { Far, Incoming, Script, Scripted } from "./kit.ts";

type Era = "legacy" | "modern";
type Answer = (message: Incoming, far: Far) => unknown;

const everything = { tools: {}, prompts: {}, resources: {}, completions: {} };

/** A client of a server with these answers; all other methods are unknown. */
async function over(
  era: Era,
  answers: Record<string, Answer>,
  capabilities: JsonObject = everything,
  options: Partial<ConnectOptions> = {},
): Promise<{ client: McpClient; server: Scripted }> {
  const greet = (era === "modern" ? modernScript : legacyScript)({ capabilities });
  const script: Script = (message, far) => {
    const answer = answers[message.method ?? ""];
    return answer === undefined ? greet(message, far) : answer(message, far);
  };
  const server = scripted(script, { protocol: era, ...options });
  return { client: await connect(server.options), server };
}

const refused = (message: Incoming, far: Far, code: number) =>
  far.send({ id: message.id, error: { code, message: "no" } });

for (const era of ["legacy", "modern"] as const) {
  test(`${era}: all pages of resources; the empty cursor is one`, async () => {
    const { client, server } = await over(era, {
      "resources/list": ({ params }) => {
        if (!("cursor" in params)) return { resources: [{ uri: "a:1" }], nextCursor: "" };
        if (params["cursor"] === "")
          return { resources: [{ uri: "a:2", name: "two", size: 3 }], nextCursor: "x" };
        return { resources: [{ uri: "a:3", title: "Three", odd: 1 }], nextCursor: null };
      },
    });
    await using _ = client;
    const { items, warnings } = await listResources(client);
    expect(warnings).toEqual([]);
    expect(items).toEqual([
      { uri: "a:1", name: "a:1", raw: { uri: "a:1" } },
      { uri: "a:2", name: "two", size: 3, raw: { uri: "a:2", name: "two", size: 3 } },
      { uri: "a:3", name: "a:3", title: "Three", raw: { uri: "a:3", title: "Three", odd: 1 } },
    ]);
    expect(server.methods().filter((method) => method === "resources/list")).toHaveLength(3);
  });

  test(`${era}: faulty entries are named and cost nothing else`, async () => {
    const { client } = await over(era, {
      "resources/list": () => ({
        resources: [
          null,
          { name: "no uri" },
          { uri: "a:1" },
          { uri: "a:1" },
          { uri: "a:2", name: 5 },
        ],
      }),
      "resources/templates/list": () => ({ resourceTemplates: "none" }),
      "prompts/list": () => ({
        prompts: [{ name: "p", arguments: [{}, { name: "a", required: true }, { name: "a" }] }, 7],
      }),
    });
    await using _ = client;
    const resources = await listResources(client);
    expect(resources.items.map(({ uri }) => uri)).toEqual(["a:1", "a:2"]);
    expect(resources.warnings).toEqual([
      "entry 1 of the list of resources is not an object: left out",
      "entry 2 of the list of resources has no uri: left out",
      'resource "a:1" is listed twice: the first one is used',
      'resource "a:2": its name is not a string: left out',
    ]);
    expect(await listResourceTemplates(client)).toEqual({
      items: [],
      warnings: ["the list of resource templates is not an array: none was read"],
    });
    const prompts = await listPrompts(client);
    expect(prompts.items[0]?.arguments).toEqual([{ name: "a", required: true }]);
    expect(prompts.warnings).toEqual([
      'prompt "p": its argument 1 has no name: left out',
      'prompt "p": its argument 3 is listed twice: left out',
      "entry 2 of the list of prompts is not an object: left out",
    ]);
  });

  test(`${era}: a server that declares a feature not is not asked; one that knows no templates has none`, async () => {
    const { client, server } = await over(era, {}, { resources: {} });
    await using _ = client;
    expect(await listPrompts(client)).toEqual({ items: [], warnings: [] });
    expect(await listResourceTemplates(client)).toEqual({ items: [], warnings: [] });
    expect(
      await complete(client, { ref: { prompt: "p" }, argument: { name: "a", value: "" } }),
    ).toEqual({ values: [], hasMore: false });
    expect(server.methods()).not.toContain("prompts/list");
    expect(server.methods()).not.toContain("completion/complete");
    expect(server.methods()).toContain("resources/templates/list");
  });

  test(`${era}: a list without end is cut, and that is said`, async () => {
    let page = 0;
    const { client } = await over(era, {
      "prompts/list": () => ({ prompts: [{ name: `p${page}` }], nextCursor: `c${page++}` }),
    });
    await using _ = client;
    const { items, warnings } = await listPrompts(client, { pagesMax: 3 });
    expect(items).toHaveLength(3);
    expect(warnings).toEqual(["the list was cut after 3 entries: it has more than 3 pages"]);
    const few = await listPrompts(client, { itemsMax: 2 });
    expect(few.items).toHaveLength(2);
    expect(few.warnings).toEqual(["the list was cut after 2 entries: it has more than 2 entries"]);
  });

  test(`${era}: a cursor that the server does not know any more begins the list again, once`, async () => {
    let asked = 0;
    const { client } = await over(era, {
      "resources/list": (message, far) => {
        asked++;
        if (!("cursor" in message.params))
          return { resources: [{ uri: `a:${asked}` }], nextCursor: `c${asked}` };
        return asked === 2 ? refused(message, far, -32602) : { resources: [{ uri: "a:end" }] };
      },
      "prompts/list": (message, far) =>
        "cursor" in message.params
          ? refused(message, far, -32602)
          : { prompts: [{ name: "p" }], nextCursor: "c" },
    });
    await using _ = client;
    const { items, warnings } = await listResources(client);
    expect([items.map(({ uri }) => uri), warnings]).toEqual([["a:3", "a:end"], []]);
    const half = await listPrompts(client);
    expect(half.items.map(({ name }) => name)).toEqual(["p"]);
    expect(half.failure).toMatchObject({ code: -32602 });
  });

  test(`${era}: a resource is read with all that is unknown of it, byte for byte`, async () => {
    const { client, server } = await over(era, {
      "resources/read": ({ params, id }, far) => {
        const contents = [
          { uri: params["uri"], text: "hi" },
          { uri: "b", blob: "AA==" },
        ];
        const result = { contents, _meta: { "a/b": 1 }, later: true };
        // Spaces and an escape stay as they are.
        far.send({ id, result });
      },
    });
    await using _ = client;
    const reply = await readResource(client, "a:1");
    expect(reply.raw()).toBe(
      '{"contents":[{"uri":"a:1","text":"hi"},{"uri":"b","blob":"AA=="}],"_meta":{"a/b":1},"later":true}',
    );
    const sent = server.received.find(({ method }) => method === "resources/read");
    expect(sent?.params["uri"]).toBe("a:1");
    expect(metaOf(sent)).toHaveProperty("progressToken");
  });

  test(`${era}: not found is told by either code`, async () => {
    for (const code of [-32602, -32002]) {
      const { client } = await over(era, {
        "resources/read": (message, far) => refused(message, far, code),
      });
      await using _ = client;
      const error: unknown = await readResource(client, "a:1").then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(isNotFound(error)).toBe(true);
    }
    expect(isNotFound(new Error("no"))).toBe(false);
  });

  test(`${era}: a prompt is got with its arguments, and a value completed with what is known`, async () => {
    const { client, server } = await over(era, {
      "prompts/get": ({ params }) => ({ messages: [], got: params["arguments"] }),
      "completion/complete": ({ params }) => {
        const values = Array.from(
          { length: 120 },
          (_unused, i) => `${params["argument"].value}${i}`,
        );
        return { completion: { values: [5, ...values], total: 500, hasMore: false } };
      },
    });
    await using _ = client;
    const args = { a: "1", __proto__: "2" };
    expect((await getPrompt(client, { name: "p", arguments: args })).result["got"]).toEqual({
      a: "1",
    });
    const found = await complete(client, {
      ref: { template: "a:{x}" },
      argument: { name: "x", value: "v" },
      context: { y: "1" },
    });
    expect([found.values.length, found.values[0], found.total, found.hasMore]).toEqual([
      100,
      "v0",
      500,
      true,
    ]);
    const { _meta: _envelope, ...params } =
      server.received.find(({ method }) => method === "completion/complete")?.params ?? {};
    expect(params).toEqual({
      ref: { type: "ref/resource", uri: "a:{x}" },
      argument: { name: "x", value: "v" },
      context: { arguments: { y: "1" } },
    });
  });
}

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

const asksFirst: Answer = ({ params }) =>
  params["inputResponses"] === undefined
    ? {
        resultType: "input_required",
        inputRequests: { who: { method: "roots/list", params: {} } },
        requestState: "s",
      }
    : { resultType: "complete", contents: [], messages: [], got: params, ttlMs: 60_000 };

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

test("input rounds work for reading and prompts, and their answers are not kept", async () => {
  const { client, server } = await over(
    "modern",
    { "resources/read": asksFirst, "prompts/get": asksFirst },
    everything,
    { answers: { roots: async () => [{ uri: "file:///a" }] } },
  );
  await using _ = client;
  using cache = new AnswerCache(client);
  for (let time = 0; time < 2; time++) {
    const { result } = await readResource(cache, "a:1");
    expect(result["got"]).toMatchObject({
      uri: "a:1",
      requestState: "s",
      inputResponses: { who: { roots: [{ uri: "file:///a" }] } },
    });
  }
  expect(server.methods().filter((method) => method === "resources/read")).toHaveLength(4);
  const prompt = await getPrompt(client, { name: "p", arguments: { a: "1" } });
  expect(prompt.asked).toBe(true);
  expect(prompt.result["got"]).toMatchObject({ name: "p", arguments: { a: "1" } });
});
