/** Lists of resources, templates and prompts in both eras: pages, faulty entries, bounds and cursors. */
import { expect, test } from "bun:test";

import { complete } from "../../lib/client/completion.ts";
import { listPrompts } from "../../lib/client/prompts.ts";
import { listResources, listResourceTemplates } from "../../lib/client/resources.ts";
import { over, refused } from "./features-kit.ts";

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
}
