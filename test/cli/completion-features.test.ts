/** Completion of resources, prompts and their arguments: names as last listed, values as a server suggests them. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { promptArguments, promptNames, resourceUris } from "../../lib/cli/completion-features.ts";
import type { Completion } from "../../lib/cli/completion-types.ts";
import { bunAlone, mcphost, root, tempDir } from "../harness.ts";
import type { TempDir } from "../harness.ts";

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

const starts = async (dir: TempDir) => {
  const text = await Bun.file(dir.file("started")).text();
  return text.split("\n").length - 1;
};

describe("the program", () => {
  const server = [...bunAlone, join(root, "test/fixtures/remote/stdio.ts")];
  const [command = "", ...args] = server;

  /** A config that leaves a mark each time its server starts. */
  async function configured(dir: TempDir, name: string): Promise<string> {
    const script = `echo started >> ${dir.file("started")}; exec "$0" "$@"`;
    const file = dir.file(name);
    const entry = { command: "sh", args: ["-c", script, command, ...args] };
    await Bun.write(file, JSON.stringify({ mcpServers: { one: entry } }));
    return file;
  }

  test("names need no server; values start it, and are its own", async () => {
    await using dir = await tempDir();
    const file = await configured(dir, "named.json");
    const run = (...line: string[]) =>
      mcphost(...line)
        .home(dir.path)
        .run();
    const ask = async (...line: string[]) => {
      const { code, stdout, stderr } = await run("completion", "zsh", "--", ...line);
      expect([code, stderr]).toEqual([0, ""]);
      return stdout
        .split("\n")
        .slice(1, -1)
        .map((one) => one.split("\t", 1)[0]);
    };
    expect((await run("prompts", "-c", file)).code).toBe(0);
    expect((await run("resources", "-c", file)).code).toBe(0);
    const before = await starts(dir);
    expect(await ask("prompt", "-c", file, "gr")).toEqual(["greet"]);
    expect(await ask("prompts", "-c", file, "p")).toEqual(["plain"]);
    expect(await ask("prompt", "-c", file, "greet", "")).toEqual(["name=", "style="]);
    expect(await ask("read", "-c", file, "blob")).toEqual(["blob://pixel"]);
    expect(await ask("resources", "-c", file, "as")).toEqual(["asks://name"]);
    expect(await starts(dir)).toBe(before);
    expect(await ask("prompt", "-c", file, "greet", "style=fo")).toEqual(["style=formal"]);
    expect(await ask("prompt", "-c", file, "greet", "style=formal", "name=")).toEqual([
      "name=Ms Ada",
    ]);
    expect(await ask("read", "-c", file, "note://th")).toEqual(["note://three"]);
    expect(await starts(dir)).toBe(before + 3);
  });

  test("what is found and not trusted is not started for a value, not even with --trust on the line", async () => {
    await using dir = await tempDir();
    await configured(dir, "mcphost.json");
    const run = (...line: string[]) =>
      mcphost(...line)
        .home(dir.path)
        .cwd(dir.path)
        .run();
    expect((await run("prompts", "--trust")).code).toBe(0);
    const before = await starts(dir);
    for (const flags of [[], ["--trust"]]) {
      const { code, stdout, stderr } = await run(
        "completion",
        "zsh",
        "--",
        "prompt",
        ...flags,
        "greet",
        "style=",
      );
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "words\n", stderr: "" });
    }
    expect(await starts(dir)).toBe(before);
  });

  test("a server that is slow to start holds nobody up", async () => {
    await using dir = await tempDir();
    const file = await configured(dir, "named.json");
    const run = (...line: string[]) =>
      mcphost(...line)
        .home(dir.path)
        .run();
    expect((await run("prompts", "-c", file)).code).toBe(0);
    // The same entry, whose program does not come up any more.
    const path = dir.file("bin");
    await Bun.write(`${path}/sh`, "#!/bin/sh\nexec /bin/sleep 30\n");
    await Bun.$`chmod 755 ${path}/sh`.quiet();
    const { code, stdout, ms } = await mcphost(
      "completion",
      "zsh",
      "--",
      "prompt",
      "-c",
      file,
      "greet",
      "style=",
    )
      .home(dir.path)
      .env({ PATH: `${path}:${process.env["PATH"]}` })
      .run();
    expect({ code, stdout }).toEqual({ code: 0, stdout: "words\n" });
    expect(ms).toBeGreaterThan(1500);
    expect(ms).toBeLessThan(15_000);
  });
});
