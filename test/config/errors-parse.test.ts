/** Text of a config that cannot be parsed: the file, the line and what was expected are said. */
import { expect, test } from "bun:test";

import { configOf, errorOf } from "./kit.ts";

const twice = `a backslash of a text is written twice in JSON, found "\\\\"`;

const unparsed: [text: string, line: number, column: number, message: string][] = [
  [``, 1, 1, "expected a value, found the end"],
  [`{"a": 1 "b": 2}`, 1, 9, `expected "," or "}", found "\\""`],
  [`{\n  "a": tru\n}`, 2, 8, `expected a value, found "t"`],
  [`{"a": [1, 2}`, 1, 12, `expected "," or "]", found "}"`],
  [`{"a": 1}{`, 1, 9, `nothing may follow the value, found "{"`],
  [`{a: 1}`, 1, 2, `expected a key in double quotes or "}", found "a"`],
  [`{'a': 1}`, 1, 2, `expected a key in double quotes or "}", found "'"`],
  [`{"a" 1}`, 1, 6, `expected ":", found "1"`],
  [`{"a": 01}`, 1, 8, `expected "," or "}", found "1"`],
  [`{"a": 1.}`, 1, 7, `a number that is cut off, found "1"`],
  [`{"a": 1`, 1, 8, `expected "}", found the end`],
  [`["\\q"]`, 1, 3, twice],
  [`["\\\\ok\\n \\u00e9 C:\\Users"]`, 1, 19, twice],
  [`["\\u12"]`, 1, 3, twice],
  [`["a\tb"]`, 1, 4, `a control character is written as an escape, found "\\t"`],
  [`{"a": "x\ny"}`, 1, 7, `a string that does not end on its line, found "\\""`],
  [`{\n"a": "\\x"}`, 2, 7, twice],
  [`{"a": 1 /* `, 1, 9, `a comment that does not end, found "/"`],
  [`[1,,2]`, 1, 4, `expected a value, found ","`],
  ["[".repeat(200), 1, 102, `nested deeper than 100 levels, found "["`],
];

test.each(unparsed)("says where %j cannot be parsed", async (text, line, column, message) => {
  const error = await errorOf(() => configOf(text));
  expect(error.code).toBe("config");
  expect(error.message).toBe(`servers.json:${line}:${column}: ${message}`);
  expect(error.facts).toMatchObject({ line, column });
  expect(error.facts.file).toEndWith("/servers.json");
});

const formats =
  "a config is JSON, with or without comments; TOML or YAML in a file whose name ends in .toml, .yaml or .yml";

test.each<[file: string, text: string, hint: string | undefined]>([
  ["c", "mcpServers:\n  a:\n    command: a\n", formats],
  ["config", "[mcp_servers.a]\ncommand = 'a'\n", formats],
  ["config.xml", "<servers/>", formats],
  ["c.json", "", formats],
  ["c.json", '{"mcpServers": {', undefined],
])("what is no JSON at all is told what is read: %s with %j", async (file, text, hint) => {
  const error = await errorOf(() => configOf(text, file));
  expect(error.message).toStartWith(`${file}:1:`);
  expect(error.hint).toBe(hint);
});

test.each([
  [`a = 1\nb = \nc = 3\n`, 2],
  [`a = 1\n\n  [x\n`, 3],
  [`a = [\n 1,\n 2,\n]\na = 2\n`, 5],
  [`t = """\nnever ends\n`, 1],
])("says in which line TOML cannot be parsed: %j", async (text, line) => {
  const error = await errorOf(() => configOf(text, "config.toml"));
  expect(error.facts.line).toBe(line);
  expect(error.message).toStartWith(`config.toml:${line}:`);
});

test.each([
  [`a: 1\nb: [\n`, 2],
  [`a: 1\n\n  b: c: d\n`, 3],
  [`a:\n\t- b\n`, 2],
  [`a: *nobody\n`, 1],
])("says in which line YAML cannot be parsed: %j", async (text, line) => {
  const error = await errorOf(() => configOf(text, "config.yaml"));
  expect(error.facts.line).toBe(line);
  expect(error.message).toStartWith(`config.yaml:${line}:`);
});

test("YAML whose aliases never end, or stand for more than a config holds, is refused", async () => {
  const never = await errorOf(() => configOf("mcpServers: &a\n  x: *a\n", "config.yaml"));
  expect(never.message).toBe("config.yaml: nested deeper than 100 levels");
  const tens = [...Array(8).keys()].map(
    (n) => `${"abcdefghi"[n + 1]}: &${"abcdefghi"[n + 1]} [${`*${"abcdefghi"[n]},`.repeat(10)}]\n`,
  );
  const many = await errorOf(() => configOf(`a: &a [1]\n${tens.join("")}`, "config.yaml"));
  expect(many.message).toMatch(/^config\.yaml:\d+:1: Excessive aliasing$/);
});

test("an empty YAML file, and several documents, are no config", async () => {
  for (const text of ["", "# nothing\n", "a: 1\n---\nb: 2\n"])
    expect((await errorOf(() => configOf(text, "config.yaml"))).message).toStartWith(
      "config.yaml: expected an object, found",
    );
});

test("reads a byte order mark, and says what is not UTF-8", async () => {
  const config = await configOf(`\uFEFF{"mcpServers": {"a": {"command": "a"}}}`);
  expect(config.servers.length).toBe(1);
});

test("takes long strings, and gives up on open ones, in linear time", async () => {
  const long = "x".repeat(5_000_000);
  const config = await configOf(`{"mcpServers": {"a": {"command": "a", "args": ["${long}"]}}}`);
  expect(config.servers[0]).toMatchObject({ args: [long] });
  const error = await errorOf(() => configOf(`{"a": "${long}`));
  expect([error.facts.line, error.facts.column]).toEqual([1, 7]);
  expect((await errorOf(() => configOf(`{"a": 1 /*${long}`))).facts.column).toBe(9);
});
