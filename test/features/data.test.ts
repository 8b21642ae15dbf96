/** Resources, prompts and completion over every transport and era. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { openWay, ways } from "./ways.ts";

describe.each(ways)("$name", (way) => {
  test("resources and templates, page by page", async () => {
    await using on = await openWay(way, { served: { pageSize: 2 } });
    const { resources, templates, failed } = await on.host.resources();
    expect(failed).toEqual([]);
    expect(resources.map(({ uri }) => uri)).toEqual([
      "note://one",
      "note://two",
      "note://three",
      "blob://pixel",
      "asks://name",
    ]);
    expect(resources[0]).toMatchObject({
      server: "srv",
      title: "Note one",
      mimeType: "text/plain",
    });
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "note://{name}",
      "count://{from}/{to}",
    ]);
  });

  test("what is read: text, bytes, what a template makes", async () => {
    await using on = await openWay(way);
    const contents = async (uri: string) => (await on.host.read({ uri })).result["contents"];
    expect(await contents("note://one")).toEqual([
      { uri: "note://one", mimeType: "text/plain", text: "first" },
    ]);
    expect(await contents("blob://pixel")).toEqual([
      { uri: "blob://pixel", mimeType: "application/octet-stream", blob: "AAEC/w==" },
    ]);
    expect(await contents("count://3/5")).toMatchObject([{ text: "3\n4\n5" }]);
  });

  test("a resource that is not there", async () => {
    await using on = await openWay(way);
    const reading = on.host.read({ uri: "note://nowhere" }).catch((error: unknown) => error);
    expect(await reading).toMatchObject({
      code: "rpc_error",
      facts: { rpcCode: way.era === "modern" ? -32602 : -32002 },
    });
    expect((await on.host.read({ uri: "note://two" })).result).toMatchObject({
      contents: [{ text: "second" }],
    });
  });

  test("prompts, with and without arguments", async () => {
    await using on = await openWay(way, { served: { pageSize: 3 } });
    const { prompts } = await on.host.prompts();
    expect(prompts.map(({ prompt }) => prompt)).toEqual(["greet", "plain", "rich", "asks"]);
    const says = async (prompt: string, args: Record<string, string> = {}) =>
      (await on.host.prompt({ prompt, arguments: args })).result["messages"];
    expect(await says("plain")).toEqual([
      { role: "user", content: { type: "text", text: "Say something." } },
    ]);
    expect(await says("greet", { name: "Ada", style: "formal" })).toMatchObject([
      { content: { text: "Greet Ada, formal." } },
    ]);
    expect(await says("rich")).toMatchObject([
      { content: { type: "text" } },
      { content: { type: "image" } },
      { content: { type: "resource" } },
    ]);
  });

  test("a prompt that is not there, and one that lacks an argument, are refused by us", async () => {
    await using on = await openWay(way);
    for (const prompt of ["no_such_prompt", "greet"]) {
      const asking = on.host.prompt({ prompt }).catch((error: unknown) => error);
      expect(await asking).toMatchObject({ code: "usage" });
    }
  });

  test("completion, with what is known already, and of many values", async () => {
    await using on = await openWay(way);
    const style = { prompt: "greet" };
    const complete = async (
      ref: { prompt: string } | { template: string },
      argument: { name: string; value: string },
      context?: Record<string, string>,
    ) => await on.host.complete({ ref, argument, ...(context && { context }) });
    // HTTP+SSE and the rest negotiate a revision that has completions.
    expect(await complete(style, { name: "style", value: "f" })).toMatchObject({
      values: ["formal", "friendly", "funny"],
      hasMore: false,
    });
    const known = { style: "formal" };
    expect((await complete(style, { name: "name", value: "" }, known)).values).toEqual(["Ms Ada"]);
    const many = await complete({ template: "count://{from}/{to}" }, { name: "from", value: "" });
    expect(many).toMatchObject({ total: 250, hasMore: true });
    expect(many.values).toHaveLength(100);
  });

  test("lists that changed are asked for again", async () => {
    await using on = await openWay(way);
    const names = async () => {
      const [{ tools }, { resources }, { prompts }] = await Promise.all([
        on.host.tools(),
        on.host.resources(),
        on.host.prompts(),
      ]);
      return [
        ...tools.map(({ tool }) => tool),
        ...resources.map(({ name }) => name),
        ...prompts.map(({ prompt }) => prompt),
      ];
    };
    expect(await names()).not.toContain("extra");
    for (const list of ["tools", "resources", "prompts"]) await on.say("change", { list });
    await waitFor(
      async () => (await names()).filter((name) => name === "extra").length === 3,
      "the lists to be asked for again",
    );
  });
});
