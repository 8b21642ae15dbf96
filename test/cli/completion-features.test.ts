/** Completion of resources, prompts and their arguments: names as last listed, values as a server suggests them. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { promptArguments, promptNames, resourceUris } from "../../lib/cli/completion-features.ts";
import type { Completion } from "../../lib/cli/completion-types.ts";

setDefaultTimeout(30_000);

const prompts = [
  {
    name: "a_greet",
    server: "a",
    prompt: "greet",
    description: "Says hello",
    arguments: [
      { name: "style", required: false },
      { name: "who", required: true, description: "Whom" },
    ],
  },
  { name: "b_bye", server: "b", prompt: "bye", arguments: [] },
];

const resources = [
  { server: "a", uri: "note://one" },
  { server: "a", template: "note://{name}" },
  { server: "a", template: "count://{from}/{to}" },
  { server: "a", template: "odd://{?x}" },
  { server: "a", template: "{+all}" },
];

/** What was asked, and what it is told. */
function suggesting(...values: string[]) {
  const asked: unknown[] = [];
  const suggest = async (request: unknown) => {
    asked.push(request);
    return values;
  };
  return { asked, suggest };
}

const words = (found: Completion) => (Array.isArray(found) ? found.map(({ word }) => word) : found);

describe("prompts", () => {
  test("names as they are shown, else the servers' own", () => {
    expect(words(promptNames("", prompts))).toEqual(["a_greet", "b_bye"]);
    expect(words(promptNames("gr", prompts))).toContain("greet");
    expect(words(promptNames("a/", prompts))).toContain("a/greet");
    expect(promptNames("a_", prompts)[0]).toEqual({ word: "a_greet", description: "Says hello" });
  });

  test("arguments: required first, none twice", async () => {
    const { suggest, asked } = suggesting();
    for (const name of ["a_greet", "a.greet", "a/greet", "greet"])
      expect(words(await promptArguments("", [name], prompts, suggest))).toEqual([
        "who=",
        "style=",
      ]);
    expect(words(await promptArguments("", ["greet", "who=x"], prompts, suggest))).toEqual([
      "style=",
    ]);
    expect(await promptArguments("", ["nobody"], prompts, suggest)).toEqual([]);
    expect(asked).toEqual([]);
  });

  test("values are the server's, in the light of the others; files behind @", async () => {
    const { suggest, asked } = suggesting("Ada", "@home");
    const found = await promptArguments("who=", ["greet", "style=a=b"], prompts, suggest);
    expect(words(found)).toEqual(["who=Ada", "who=@@home"]);
    expect(asked).toEqual([
      {
        ref: { prompt: "a/greet" },
        argument: { name: "who", value: "" },
        context: { style: "a=b" },
      },
    ]);
    expect(await promptArguments("who=@f", ["greet"], prompts, suggest)).toEqual({
      filesBehind: "who=@",
    });
  });
});

describe("URIs", () => {
  test("as they are listed; with their server where there are several", async () => {
    const { suggest } = suggesting();
    expect(words(await resourceUris("", resources, suggest))).toEqual(["note://one"]);
    const more = [...resources, { server: "b", uri: "note://one" }];
    expect(words(await resourceUris("", more, suggest))).toEqual(["a/note://one", "b/note://one"]);
    expect(words(await resourceUris("no", more, suggest))).toEqual(["note://one", "note://one"]);
  });

  test("behind the fixed beginning of a template what the server suggests", async () => {
    const { suggest, asked } = suggesting("two");
    expect(words(await resourceUris("note://t", resources, suggest))).toContain("note://two");
    expect(words(await resourceUris("a/note://t", resources, suggest))).toContain("a/note://two");
    expect(words(await resourceUris("count://5/", resources, suggest))).toContain("count://5/two");
    expect(asked).toEqual([
      { ref: { template: "a/note://{name}" }, argument: { name: "name", value: "t" }, context: {} },
      { ref: { template: "a/note://{name}" }, argument: { name: "name", value: "t" }, context: {} },
      {
        ref: { template: "a/count://{from}/{to}" },
        argument: { name: "to", value: "" },
        context: { from: "5" },
      },
    ]);
  });

  test("nobody is asked where the template does not begin so, or is not simple", async () => {
    const { suggest, asked } = suggesting("two");
    for (const current of ["", "note", "count://5", "odd://", "x"])
      await resourceUris(current, resources, suggest);
    expect(asked).toEqual([]);
  });
});
