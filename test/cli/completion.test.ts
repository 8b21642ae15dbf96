/** What completion offers at the cursor: commands, flags, servers, tools and their arguments. */
import { describe, expect, test } from "bun:test";

import { rendered } from "../../lib/cli/completion-scripts.ts";
import { filledIn, keptOf, splitLine, wordsOf } from "../../lib/cli/completion-words.ts";
import { complete, type World } from "../../lib/cli/completion.ts";
import type { FlagTable } from "../../lib/cli/types.ts";
import { schema } from "./completion-kit.ts";

const common: FlagTable = {
  server: { type: "string", alias: ["s", "mcp-server"], description: "a server", repeat: true },
  config: { type: "string", alias: ["c"], valueHint: "FILE", description: "a file", repeat: true },
  "log-level": { type: "string", valueHint: "LEVEL", description: "what is shown" },
  json: { type: "boolean", description: "JSON" },
  actor: { type: "string", valueHint: "ACTOR", description: "of whom" },
  outcome: { type: "string", valueHint: "OUTCOME", description: "which" },
};

const done = async () => 0;

const world: World = {
  common,
  commands: async () => [
    { name: "call", description: "one call" },
    { name: "completion", description: "scripts" },
    { name: "doctor", description: "what is wrong" },
  ],
  async command(name) {
    const usage = {
      call: "TOOL [ARG…]",
      doctor: "[SERVER…]",
      log: "[-f]",
      tee: "FILE -- COMMAND…",
      task: "[ID] [-- COMMAND…]",
      approvals: "[show|approve ID]",
    }[name];
    if (usage === undefined) return undefined;
    return { name, usage, flags: common, description: "", example: "", run: done };
  },
  servers: async () => ["fs", "git"],
  tools: async () => [
    { name: "fs_read", server: "fs", tool: "read", description: "Reads\nall", inputSchema: schema },
    { name: "$(touch x)", tool: "evil", inputSchema: {} },
    { name: "red\u001b[31m", tool: "escape", inputSchema: {} },
    { name: "two\nlines", tool: "lines", inputSchema: {} },
  ],
  prompts: async () => [],
  resources: async () => [],
  ids: async (command, { positionals }) => [
    { word: `${[command, ...positionals].join("-")}-786512e2` },
  ],
  suggest: () => async () => [],
};

async function offers(line: string): Promise<string[] | "files"> {
  const found = await complete(splitLine(line).slice(1), world);
  return Array.isArray(found) ? found.map(({ word }) => word) : "files";
}

/** What bash is to put in the place of `part`. */
function behind(line: string, part: string, word: string): string | undefined {
  return rendered("bash", [{ word }], keptOf(line, part)).split("\n")[1];
}

describe("what can stand at the cursor", () => {
  test("commands and flags", async () => {
    expect(await offers("m ")).toEqual(["call", "completion", "doctor"]);
    expect(await offers("m c")).toEqual(["call", "completion"]);
    expect(await offers("m --json -s 'x y' d")).toEqual(["doctor"]);
    expect(await offers("m call --lo")).toEqual(["--log-level"]);
    expect(await offers("m call --mcp")).toEqual(["--mcp-server"]);
    expect(await offers("m call --s")).toEqual(["--server"]);
    expect(await offers("m nonsense ")).toEqual([]);
    expect(await offers("m help c")).toEqual(["call", "completion"]);
  });

  test("values of flags", async () => {
    expect(await offers("m --log-level ")).toEqual(["debug", "info", "warn", "error"]);
    expect(await offers("m call --log-level=w")).toEqual(["--log-level=warn"]);
    expect(await offers("m log --actor=m")).toEqual(["--actor=model"]);
    expect(await offers("m log --outcome un")).toEqual(["uncertain"]);
    expect(await offers("m call --json=")).toEqual(["--json=true", "--json=false"]);
    expect(await offers("m call -c ")).toBe("files");
    expect(await offers("m call --config=x")).toBe("files");
    expect(await complete(["call", "--config=x"], world)).toEqual({ filesBehind: "--config=" });
    expect(await complete(["call", "fs_read", "a:=@x"], world)).toEqual({ filesBehind: "a:=@" });
    expect(await offers("m call -s ")).toEqual([]);
  });

  test("servers, tools, files, and nothing of the servers' own command lines", async () => {
    expect(await offers("m doctor ")).toEqual(["fs", "git"]);
    expect(await offers("m doctor fs g")).toEqual(["git"]);
    expect(await offers("m call ")).toEqual(["fs_read", "$(touch x)"]);
    expect(await offers("m call rea")).toEqual(["read"]);
    expect(await offers("m call fs.")).toEqual(["fs.read"]);
    expect(await offers("m call fs/r")).toEqual(["fs/read"]);
    expect(await offers("m tee ")).toBe("files");
    expect(await offers("m tee file ")).toEqual([]);
    expect(await offers("m call x -- np")).toBe("files");
    expect(await offers("m task ")).toEqual(["task-786512e2"]);
    expect(await offers("m task 786512e2 ")).toEqual([]);
    expect(await offers("m approvals ")).toEqual(["show", "approve"]);
    expect(await offers("m approvals show ")).toEqual(["approvals-show-786512e2"]);
    expect(await offers("m approvals show 786512e2 ")).toEqual([]);
  });

  test("arguments: required first, none twice, and the values that the schema names", async () => {
    const all = ["path=", "mode=", "deep=", "level=", "size="];
    expect(await offers("m call fs_read ")).toEqual(all);
    for (const name of ["read", "fs.read", "fs/read"])
      expect(await offers(`m call ${name} `)).toEqual(all);
    expect(await offers("m call fs_read path=x deep:=true ")).toEqual(["mode=", "level=", "size="]);
    expect(await offers("m call fs_read mode=")).toEqual([
      "mode=fast",
      "mode=slow one",
      "mode=@@home",
    ]);
    expect(await offers("m call fs_read mode:=f")).toEqual([]);
    expect(await offers('m call fs_read mode:=\\"f')).toEqual(['mode:="fast"']);
    expect(await offers("m call fs_read deep=t")).toEqual(["deep=true"]);
    expect(await offers("m call fs_read level=")).toEqual(["level=1", "level=2", "level=null"]);
    expect(await offers("m call fs_read path=@RE")).toBe("files");
    expect(await offers("m call fs_read constructor=")).toEqual([]);
    expect(await offers("m call unknown ")).toEqual([]);
  });

  test("descriptions are one line, and say what is required", async () => {
    const found = await complete(["call", "fs_read", "pa"], world);
    expect(found).toEqual([{ word: "path=", description: "required: Where it is" }]);
  });

  test("a line is cut as a shell would, an open quote forgiven", () => {
    expect(splitLine("m  a\\ b 'c d'e \"f\\\"\" ''")).toEqual(["m", "a b", "c de", 'f"', ""]);
    expect(splitLine("m 'a b")).toEqual(["m", "a b"]);
    expect(splitLine("m ")).toEqual(["m", ""]);
    expect(splitLine("")).toEqual([""]);
  });

  test("~ and variables are filled in as a shell would, but not where the cursor is", () => {
    const env = { HOME: "/h", DIR: "a b" };
    const line = 'm -c ~/x $DIR/y "${DIR}z" \'$DIR\' \\$DIR a~ ~x "~/q" $NONE. $1 ~ ~/cur';
    expect(wordsOf(line, env)).toEqual([
      "m",
      "-c",
      "/h/x",
      "a b/y",
      "a bz",
      "$DIR",
      "$DIR",
      "a~",
      "~x",
      "~/q",
      ".",
      "$1",
      "/h",
      "~/cur",
    ]);
    expect(["~/x", "--config=$DIR/y", "${HOME}", "a~"].map((word) => filledIn(word, env))).toEqual([
      "/h/x",
      "--config=a b/y",
      "/h",
      "a~",
    ]);
  });

  test("for bash a word is escaped, since bash inserts it as it is", () => {
    const text = rendered("bash", [{ word: "$(touch x)" }, { word: "a=" }, { word: "é!" }]);
    expect(text).toBe("words\n\\$\\(touch\\ x\\) \na=\né\\! \n");
    expect(behind("m a=b\\ c", "b\\ c", "a=b c d")).toBe("b\\ c\\ d ");
    expect(behind("m a='b c", "b c", "a=b c'$d")).toBe("b c'\\''$d");
    expect(behind("m 'a=b", "a=b", "a=b c")).toBe("a=b c");
    expect(behind('m "b', "b", 'b"$c`')).toBe('b\\"\\$c\\`');
    expect(behind("m a\\ b=", "", "a b=c")).toBe("c ");
    expect(rendered("fish", [{ word: "a", description: "b" }])).toBe("words\na\tb\n");
    expect(rendered("zsh", { filesBehind: "key=@" })).toBe("files\nkey=@\n");
  });
});
