import { describe, expect, test } from "bun:test";

import { checkReading, cutLine, readLine } from "../../lib/cli/args.ts";
import type { FlagTable, Parsed } from "../../lib/cli/types.ts";

const table: FlagTable = {
  server: { type: "string", alias: ["s", "mcp-server"], repeat: true, description: "" },
  output: { type: "string", alias: ["o"], description: "" },
  timeout: { type: "string", description: "" },
  json: { type: "boolean", description: "" },
  quiet: { type: "boolean", alias: ["q"], description: "" },
  "allow-all": { type: "boolean", alias: ["A"], description: "" },
  "no-cache": { type: "boolean", description: "" },
};

const read = (...argv: string[]) => readLine(cutLine(argv), table);
const flagsOf = (...argv: string[]) => ({ ...read(...argv).parsed.flags });

const problem = async (...argv: string[]) => {
  const reading = read(...argv);
  try {
    await checkReading(reading, table, "call");
    return undefined;
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint: string };
    return `${code}: ${message}: ${hint}`;
  }
};

test("the line is cut at its first --, and what follows is taken as it stands", () => {
  expect(cutLine(["call", "--json", "--", "server", "--json", "--", "x"])).toEqual({
    words: ["call", "--json"],
    rest: ["server", "--json", "--", "x"],
  });
  expect(cutLine(["call"]).rest).toBeUndefined();
  expect(cutLine(["call", "--"]).rest).toEqual([]);
});

describe("flags", () => {
  test.each<[string[], Parsed["flags"]]>([
    [["--json"], { json: true }],
    [["--json=true"], { json: true }],
    [["--json=false"], { json: false }],
    [["--no-json"], { json: false }],
    [["--json", "--no-json"], { json: false }],
    [["--no-cache"], { "no-cache": true }],
    [["--no-cache=false"], { "no-cache": false }],
    [["--timeout", "5"], { timeout: "5" }],
    [["--timeout=5"], { timeout: "5" }],
    [["--timeout=-1"], { timeout: "-1" }],
    [["--timeout", "-1"], { timeout: "-1" }],
    [["--timeout="], { timeout: "" }],
    [["--timeout=a=b"], { timeout: "a=b" }],
    [["--timeout", "1", "--timeout", "2"], { timeout: "2" }],
    [["-s", "a=x", "--server=b=y", "--mcp-server", "c"], { server: ["a=x", "b=y", "c"] }],
    [["-s=a=x -y"], { server: ["a=x -y"] }],
    [["-sa=x"], { server: ["a=x"] }],
    [["-o", "-"], { output: "-" }],
    [["-qA"], { quiet: true, "allow-all": true }],
    [["-q=false"], { quiet: false }],
    [["-qo", "file"], { quiet: true, output: "file" }],
    [["-Ao=file"], { "allow-all": true, output: "file" }],
  ])("%p", (argv, flags) => {
    expect(read(...argv).misfits).toEqual([]);
    expect(flagsOf(...argv)).toEqual(flags);
  });

  test("a flag called like something of a prototype is just unknown", () => {
    expect(read("--__proto__", "--constructor=1").misfits.map((m) => m.reason)).toEqual([
      "unknown",
      "unknown",
    ]);
    expect(read("--json").parsed.flags["constructor"]).toBeUndefined();
  });
});

test("positionals: words, negative numbers, a lone dash, key=value whatever the value", () => {
  const words = ["echo", "-1", "-.5", "-1e5", "-", "a=-1", "b:=[1]", "--json", "c=--json", ""];
  const { parsed } = read(...words);
  expect(parsed.positionals).toEqual(words.filter((word) => word !== "--json"));
  expect(parsed.flags["json"]).toBe(true);
});

describe("misfits", () => {
  test.each<[string[], RegExp]>([
    [["--timeot", "5"], /^usage: unknown flag --timeot: did you mean --timeout\?/],
    [["--jsno"], /did you mean --json\?/],
    [
      ["--zzzzzzzz"],
      /^usage: unknown flag --zzzzzzzz: .*tool .*zzzzzzzz=VALUE; mcphost call --help/,
    ],
    [["--timeot=secret"], /^usage: unknown flag --timeot:/],
    [["-x"], /^usage: unknown flag -x/],
    [["--timeout"], /^usage: --timeout needs a value: .*--timeout=VALUE/],
    [["--timeout", "--json"], /^usage: --timeout needs a value/],
    [["-s"], /^usage: -s needs a value/],
    [["--json=yes"], /^usage: --json is on or off/],
    [["--no-timeout"], /^usage: --no-timeout cannot be switched off/],
  ])("%p", async (argv, expected) => {
    expect(await problem(...argv)).toMatch(expected);
  });

  test("none", async () => {
    expect(await problem("call", "--json")).toBeUndefined();
  });
});
