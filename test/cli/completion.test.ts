import { beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdir } from "node:fs/promises";

import { rendered, scripts } from "../../lib/cli/completion-scripts.ts";
import { complete, splitLine, type World } from "../../lib/cli/completion.ts";
import { recalledTools, rememberTools } from "../../lib/cli/tool-cache.ts";
import type { FlagTable } from "../../lib/cli/types.ts";
import type { ServerConfig } from "../../lib/config/types.ts";
import { expectRun, mcphost, sourceProgram, type TempDir, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";

const common: FlagTable = {
  server: { type: "string", alias: ["s", "mcp-server"], description: "a server", repeat: true },
  config: { type: "string", alias: ["c"], valueHint: "FILE", description: "a file", repeat: true },
  "log-level": { type: "string", valueHint: "LEVEL", description: "what is shown" },
  json: { type: "boolean", description: "JSON" },
};

const schema = {
  properties: {
    mode: { enum: ["fast", "slow one", "@home"] },
    path: { type: "string", description: "Where\n  it is" },
    deep: { type: "boolean" },
    level: { anyOf: [{ const: 1 }, { enum: [2, null] }] },
    size: { type: "integer" },
  },
  required: ["path"],
};

const world: World = {
  common,
  commands: async () => [
    { name: "call", description: "one call" },
    { name: "completion", description: "scripts" },
    { name: "doctor", description: "what is wrong" },
  ],
  async command(name) {
    const usage = { call: "TOOL [ARG…]", doctor: "[SERVER…]", tee: "FILE -- COMMAND…" }[name];
    const run = async () => 0;
    return usage === undefined
      ? undefined
      : { name, usage, flags: common, description: "", example: "", run };
  },
  servers: async () => ["fs", "git"],
  tools: async () => [
    { name: "fs_read", tool: "read", description: "Reads\nall", inputSchema: schema },
    { name: "$(touch x)", tool: "evil", inputSchema: {} },
    { name: "red\u001b[31m", tool: "escape", inputSchema: {} },
    { name: "two\nlines", tool: "lines", inputSchema: {} },
  ],
};

async function words(line: string): Promise<string[] | "files"> {
  const found = await complete(splitLine(line).slice(1), world);
  return found === "files" ? found : found.map(({ word }) => word);
}

describe("what can stand at the cursor", () => {
  test("commands and flags", async () => {
    expect(await words("m ")).toEqual(["call", "completion", "doctor"]);
    expect(await words("m c")).toEqual(["call", "completion"]);
    expect(await words("m --json -s 'x y' d")).toEqual(["doctor"]);
    expect(await words("m call --lo")).toEqual(["--log-level"]);
    expect(await words("m call --mcp")).toEqual(["--mcp-server"]);
    expect(await words("m call --s")).toEqual(["--server"]);
    expect(await words("m nonsense ")).toEqual([]);
  });

  test("values of flags", async () => {
    expect(await words("m --log-level ")).toEqual(["debug", "info", "warn", "error"]);
    expect(await words("m call --log-level=w")).toEqual(["--log-level=warn"]);
    expect(await words("m call --json=")).toEqual(["--json=true", "--json=false"]);
    expect(await words("m call -c ")).toBe("files");
    expect(await words("m call --config=x")).toBe("files");
    expect(await words("m call -s ")).toEqual([]);
  });

  test("servers, tools, files, and nothing of the servers' own command lines", async () => {
    expect(await words("m doctor ")).toEqual(["fs", "git"]);
    expect(await words("m doctor fs g")).toEqual(["git"]);
    expect(await words("m call ")).toEqual(["fs_read", "$(touch x)"]);
    expect(await words("m tee ")).toBe("files");
    expect(await words("m tee file ")).toEqual([]);
    expect(await words("m call x -- np")).toBe("files");
  });

  test("arguments: required first, none twice, and the values that the schema names", async () => {
    const all = ["path=", "mode=", "deep=", "level=", "size="];
    expect(await words("m call fs_read ")).toEqual(all);
    expect(await words("m call read ")).toEqual(all);
    expect(await words("m call fs_read path=x deep:=true ")).toEqual(["mode=", "level=", "size="]);
    expect(await words("m call fs_read mode=")).toEqual([
      "mode=fast",
      "mode=slow one",
      "mode=@@home",
    ]);
    expect(await words("m call fs_read mode:=f")).toEqual([]);
    expect(await words('m call fs_read mode:=\\"f')).toEqual(['mode:="fast"']);
    expect(await words("m call fs_read deep=t")).toEqual(["deep=true"]);
    expect(await words("m call fs_read level=")).toEqual(["level=1", "level=2", "level=null"]);
    expect(await words("m call fs_read path=@RE")).toBe("files");
    expect(await words("m call fs_read constructor=")).toEqual([]);
    expect(await words("m call unknown ")).toEqual([]);
  });

  test("descriptions are one line, and say what is required", async () => {
    const found = await complete(["call", "fs_read", "pa"], world);
    expect(found).toEqual([{ word: "path=", description: "(required) Where it is" }]);
  });

  test("a line is cut as a shell would, an open quote forgiven", () => {
    expect(splitLine("m  a\\ b 'c d'e \"f\\\"\" ''")).toEqual(["m", "a b", "c de", 'f"', ""]);
    expect(splitLine("m 'a b")).toEqual(["m", "a b"]);
    expect(splitLine("m ")).toEqual(["m", ""]);
    expect(splitLine("")).toEqual([""]);
  });

  test("for bash a word is escaped, since bash inserts it as it is", () => {
    const text = rendered("bash", [{ word: "$(touch x)" }, { word: "a=" }, { word: "é!" }]);
    expect(text).toBe("words\n\\$\\(touch\\ x\\) \na=\né\\! \n");
    expect(rendered("fish", [{ word: "a", description: "b" }])).toBe("words\na\tb\n");
    expect(rendered("zsh", "files")).toBe("files\n");
  });
});

const server: ServerConfig = {
  name: "fs",
  kind: "stdio",
  command: "server",
  args: [],
  env: {},
  origin: { label: "x", kind: "user" },
  written: { command: "server" },
  protocol: "auto",
  lifecycle: "lazy",
};

describe("the lists of tools that completion knows", () => {
  const tool = { name: "fs_read", server: "fs", tool: "read", inputSchema: schema };

  test("are kept by the entry as written, for our user alone", async () => {
    await using dir = await tempDir();
    const env = { XDG_CACHE_HOME: dir.path };
    expect(await recalledTools(env, server)).toBeUndefined();
    await rememberTools(env, server, [tool]);
    expect(await recalledTools(env, server)).toEqual([
      { name: "fs_read", tool: "read", inputSchema: schema },
    ]);
    const moved = { ...server, origin: { label: "y", kind: "named" as const } };
    expect(await recalledTools(env, moved)).toHaveLength(1);
    expect(await recalledTools(env, { ...server, args: ["x"] })).toBeUndefined();
    const { stat, readdir } = await import("node:fs/promises");
    const [file = ""] = await readdir(dir.file("mcphost", "tools"));
    expect((await stat(dir.file("mcphost", "tools"))).mode & 0o777).toBe(0o700);
    expect((await stat(dir.file("mcphost", "tools", file))).mode & 0o777).toBe(0o600);
  });

  test("are just not there when they are broken, too large, or have no place", async () => {
    await using dir = await tempDir();
    const env = { XDG_CACHE_HOME: dir.path };
    await rememberTools({}, server, [tool]);
    expect(await recalledTools({}, server)).toBeUndefined();
    const huge = { ...tool, inputSchema: { properties: { a: { title: "x".repeat(5_000_000) } } } };
    await rememberTools(env, server, [huge]);
    expect(await recalledTools(env, server)).toBeUndefined();
    await rememberTools(env, server, [tool]);
    const { readdir } = await import("node:fs/promises");
    const [file = ""] = await readdir(dir.file("mcphost", "tools"));
    for (const text of ["{", "[]", '{"tools":[1,{"name":"x"}]}']) {
      await Bun.write(dir.file("mcphost", "tools", file), text);
      expect((await recalledTools(env, server)) ?? []).toEqual([]);
    }
    await using blocked = await tempDir();
    await Bun.write(blocked.file("mcphost"), "a file where a folder belongs");
    await rememberTools({ XDG_CACHE_HOME: blocked.path }, server, [tool]);
  });

  test("the oldest go when there are too many", async () => {
    await using dir = await tempDir();
    const folder = dir.file("mcphost", "tools");
    await mkdir(folder, { recursive: true });
    const { readdir, utimes } = await import("node:fs/promises");
    for (let i = 0; i < 205; i++) {
      await Bun.write(`${folder}/${i}.json`, "{}");
      await utimes(`${folder}/${i}.json`, i, i);
    }
    await rememberTools({ XDG_CACHE_HOME: dir.path }, server, [tool]);
    const left = await readdir(folder);
    expect(left).toHaveLength(200);
    expect(left).not.toContain("0.json");
    expect(left).toContain("204.json");
  });
});
