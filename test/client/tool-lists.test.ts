/** The list of tools: its pages, cursors and bounds, and what is kept of a list that fails half-way. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { eras, legacyScript, scripted, tool, unknownMethod } from "./kit.ts";
import type { LegacyParts } from "./kit.ts";

/** Lists by cursor: what each cursor gives; the first page is under `first`. */
function paged(pages: Record<string, object>): LegacyParts {
  return { list: ({ params }) => pages[params.cursor ?? "first"] };
}

test.each(eras)(
  "%s: all pages are read in order, and the cursor goes back as it came",
  async (_, start) => {
    const names = Array.from({ length: 101 }, (_unused, i) => `tool-${i}`);
    const server = start(
      paged({
        first: { tools: names.slice(0, 50).map(tool), nextCursor: "eyJvIjo1MH0=" },
        "eyJvIjo1MH0=": { tools: names.slice(50, 100).map(tool), nextCursor: "" },
        "": { tools: names.slice(100).map(tool), nextCursor: null, _meta: null },
      }),
    );
    await using client = await connect(server.options);
    const { tools, warnings } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(warnings).toEqual([]);
  },
);

test.each([
  [
    "the same cursor for ever",
    { first: { tools: [tool("a")], nextCursor: "x" }, x: { tools: [tool("b")], nextCursor: "x" } },
    ["a", "b"],
  ],
  [
    "a circle",
    {
      first: { tools: [tool("a")], nextCursor: "x" },
      x: { tools: [tool("b")], nextCursor: "y" },
      y: { tools: [tool("c")], nextCursor: "x" },
    },
    ["a", "b", "c"],
  ],
  [
    "the empty cursor for ever",
    { first: { tools: [tool("a")], nextCursor: "" }, "": { tools: [tool("b")], nextCursor: "" } },
    ["a", "b"],
  ],
  ["a cursor that is an object", { first: { tools: [tool("a")], nextCursor: {} } }, ["a"]],
] as const)("%s ends the list with a warning", async (_, pages, names) => {
  const server = scripted(legacyScript(paged(pages)));
  await using client = await connect(server.options);
  const { tools, warnings } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...names]);
  expect(warnings).toEqual([expect.stringContaining("cut")]);
});

test.each([
  ["is refused", true],
  ["gives the first page again", false],
])("an empty cursor that means the end: it %s, and that is it", async (_, isRefused) => {
  const asked: unknown[] = [];
  const list: LegacyParts["list"] = ({ id, params }, far) => {
    asked.push(params.cursor);
    if (params.cursor === undefined || !isRefused) return { tools: [tool("a")], nextCursor: "" };
    far.send({ id, error: { code: -32602, message: "bad cursor" } });
  };
  const server = scripted(legacyScript({ list }));
  await using client = await connect(server.options);
  const { tools, warnings, failure } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["a"]);
  expect({ warnings, failure, asked }).toEqual({
    warnings: [],
    failure: undefined,
    asked: [undefined, ""],
  });
});

const numbered: LegacyParts["list"] = ({ params }) =>
  params.cursor === undefined
    ? { tools: [tool("a")], nextCursor: 50 }
    : { tools: [tool(`b-${typeof params.cursor}-${params.cursor}`)] };

test("a cursor that is a number goes back as one", async () => {
  const server = scripted(legacyScript({ list: numbered }));
  await using client = await connect(server.options);
  const { tools, warnings } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["a", "b-number-50"]);
  expect(warnings).toEqual([]);
});

test("endless pages and endless tools end at their bounds, and what was got is kept", async () => {
  let page = 0;
  const list = () => ({ tools: [tool(`a${++page}`), tool(`b${page}`)], nextCursor: `c${page}` });
  const server = scripted(legacyScript({ list }), { pagesMax: 3 });
  await using client = await connect(server.options);
  const byPages = await client.listTools();
  expect(byPages.tools).toHaveLength(6);
  expect(byPages.warnings).toEqual([expect.stringContaining("3 pages")]);

  const other = scripted(legacyScript({ list }), { toolsMax: 5 });
  await using second = await connect(other.options);
  const byTools = await second.listTools();
  expect(byTools.tools).toHaveLength(5);
  expect(byTools.warnings).toEqual([expect.stringContaining("5 entries")]);
});

test("an error on a later page leaves what was got, and is told: half a list would look whole", async () => {
  const server = scripted(
    legacyScript({
      list: ({ id, params }, far) => {
        if (params.cursor === undefined) return { tools: [tool("a")], nextCursor: "x" };
        far.send({ id, error: { code: -32602, message: "bad cursor" } });
      },
    }),
  );
  await using client = await connect(server.options);
  const { tools, failure } = await client.listTools();
  expect([tools.map(({ name }) => name), failure]).toMatchObject([["a"], { code: -32602 }]);
});

test("a null list result is an error of the server", async () => {
  const server = scripted(legacyScript({ list: ({ id }, far) => far.send({ id, result: null }) }));
  await using client = await connect(server.options);
  await expect(client.listTools()).rejects.toMatchObject({ code: "rpc_error" });
});

const unlisted: LegacyParts = {
  list: ({ id }, far) => far.send({ id, error: unknownMethod }),
};

test("a server without tools has an empty list; one that has them must list them", async () => {
  const without = scripted(legacyScript({ ...unlisted, capabilities: { prompts: {} } }));
  await using client = await connect(without.options);
  expect(await client.listTools()).toEqual({ tools: [], warnings: [] });
  const broken = scripted(legacyScript(unlisted));
  await using other = await connect(broken.options);
  await expect(other.listTools()).rejects.toMatchObject({ code: -32601 });
});
