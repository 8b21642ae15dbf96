/** What is wrong in a config is said by file, place, what was expected and what was found; and never takes more down than it must. */
import { expect, test } from "bun:test";

import { linkKinds } from "../../lib/config/links.ts";
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

const bad: [entry: string, reason: string, hint?: string][] = [
  [`3`, "mcpServers.x: expected an object, found a number"],
  [`null`, "mcpServers.x: expected an object, found null"],
  [`{}`, "mcpServers.x: expected a command or a url, found neither"],
  [
    `{"command": 3}`,
    "mcpServers.x.command: expected a string, or an array of strings, found a number",
  ],
  [`{"command": ""}`, "mcpServers.x: expected a command or a url, found neither"],
  [`{"command": []}`, "mcpServers.x: expected a command or a url, found neither"],
  [`{"command": "a", "args": ["b", 3]}`, "mcpServers.x.args[1]: expected a string, found a number"],
  [
    `{"command": "a", "args": "b"}`,
    "mcpServers.x.args: expected an array of strings, found a string",
  ],
  [
    `{"url": "http://a", "env_vars": [{"source": "local"}]}`,
    "mcpServers.x.env_vars.0: expected a string, number, true, false or null, found an object; mcpServers.x.env_vars: expected an object, found an array",
  ],
  [
    `{"transport": {"type": "http", "url": "http://a"}}`,
    `mcpServers.x.transport: expected one of ${[...linkKinds.keys()].join(", ")}, found an object; mcpServers.x: expected a command or a url, found neither`,
  ],
  [
    `{"command": "a", "type": {}}`,
    `mcpServers.x.type: expected one of ${[...linkKinds.keys()].join(", ")}, found an object`,
  ],
  [`{"url": {}}`, "mcpServers.x.url: expected a string, found an object"],
  [`{"command": "a", "env": ["A=1"]}`, "mcpServers.x.env: expected an object, found an array"],
  [
    `{"command": "a", "environment": {"A": {}}}`,
    "mcpServers.x.environment.A: expected a string, number, true, false or null, found an object",
  ],
  [
    `{"command": "a", "env": {"BAD=K": "v"}}`,
    `mcpServers.x.env["BAD=K"]: the name of a variable is not empty and holds no = and no NUL`,
  ],
  [
    `{"command": "a", "env": {"A": "a\\u0000b"}}`,
    "mcpServers.x.env.A: a NUL character cannot be handed on",
  ],
  [`{"command": "a\\u0000b"}`, "mcpServers.x.command: a NUL character cannot be handed on"],
  [
    `{"url": "https://a", "headers": {"a b": "v"}}`,
    `mcpServers.x.headers["a b"]: this is no name of a header`,
  ],
  [
    `{"url": "https://a", "headers": {"a": ["secret"]}}`,
    "mcpServers.x.headers.a: expected a string, found an array",
  ],
  [`{"type": "http", "command": "a"}`, "mcpServers.x: a server of type http needs a url"],
  [`{"type": "stdio", "url": "https://a"}`, "mcpServers.x: a server of type stdio needs a command"],
  [
    `{"command": "a", "url": "https://a"}`,
    "mcpServers.x: both a command and a url; type says which counts (stdio, http, sse, ws)",
  ],
  [
    `{"command": "a", "protocol": "2025"}`,
    `mcpServers.x.protocol: expected one of auto, legacy, modern, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05`,
  ],
  [
    `{"comand": "a"}`,
    "mcpServers.x: expected a command or a url, found neither",
    `nobody knows the key "comand"; did you mean command?`,
  ],
  [
    `{"command": "a", "enabled": "yes"}`,
    "mcpServers.x.enabled: expected true or false, found a string",
  ],
  [
    `{"command": "a", "concurrency": 0}`,
    "mcpServers.x.concurrency: expected a whole number, 1 or more, found a number",
  ],
  [
    `{"command": "a", "timeoutMs": "5s"}`,
    "mcpServers.x.timeoutMs: expected a number of milliseconds, found a string",
  ],
];

test.each(bad.map(([entry, reason, hint]) => ({ entry, reason, hint })))(
  "sets apart $entry",
  async ({ entry, reason, hint }) => {
    const config = await configOf(`{"mcpServers": {"x": ${entry}, "good": {"command": "g"}}}`);
    expect(config.servers.map((server) => server.name)).toEqual(["good"]);
    expect(config.bad.map((server) => server.name)).toEqual(["x"]);
    expect(config.bad[0]?.reason).toStartWith(reason);
    expect(config.bad[0]?.hint).toBe(hint);
    // The hint is not said again.
    expect(config.warnings.join()).not.toContain(String(hint));
  },
);

test("warns about keys that nobody knows, with the nearest, and starts the server all the same", async () => {
  const config = await configOf(
    `{"mcpServers": {"x": {"command": "a", "arg": ["b"], "zzz": 1, "_comment": "", "description": ""}}}`,
  );
  expect(config.servers.length).toBe(1);
  expect(config.warnings).toEqual([
    `servers.json: mcpServers.x: nobody knows the key "arg"; did you mean args?`,
    `servers.json: mcpServers.x: nobody knows the key "zzz"`,
  ]);
});

test("warns about keys that contradict each other, and about what stands there twice", async () => {
  const config = await configOf(`{"mcpServers": {
    "x": {"url": "https://a", "serverUrl": "https://b"},
    "y": {"command": "1"},
    "y": {"command": "2"}}}`);
  expect(
    config.servers.map((server) => (server.kind === "http" ? server.url : server.command)),
  ).toEqual(["https://a", "2"]);
  expect(config.warnings).toEqual([
    "servers.json: mcpServers.x: serverUrl and url say different things; url counts",
    "servers.json:4: mcpServers.y stands there twice; the later one counts",
  ]);
});

test("warns where two entries of a list have one name; the later one counts", async () => {
  const config = await configOf(
    `{"mcp_servers": [{"name": "a", "command": "1"}, {"name": "a", "command": "2"}, {"command": "3"}]}`,
  );
  expect(config.servers.map((server) => server.name)).toEqual(["a", "server3"]);
  expect(config.warnings).toEqual([
    "servers.json: two servers are called a; the one at mcp_servers[1] counts",
  ]);
});

test("warns where a named file has no servers, with the nearest key", async () => {
  expect((await configOf(`{"mcpServer": {}}`)).warnings).toEqual([
    `servers.json: nobody knows the key "mcpServer"; did you mean mcpServers?`,
  ]);
  // Of other programs, and no near miss of words that others of them have.
  expect((await configOf(`{"context": {}, "mcpServers": {}}`)).warnings).toEqual([]);
  expect((await configOf(`{}`)).warnings).toEqual([
    "servers.json: no servers in it (expected an object mcpServers, or another known shape)",
  ]);
});

test.each([
  [`[]`, "expected an object, found an array"],
  [`{"mcpServers": 3}`, "mcpServers: expected the servers, by name, found a number"],
  [`{"policy": {}}`, "policy: expected an array of rules, found an object"],
  [`{"policy": [{"do": "dney"}]}`, 'policy[0].do: expected one of allow, deny, ask, found "dney"'],
  [`{"policy": [{"tools": "x"}]}`, `policy[0]: expected the key "do", found nothing`],
  [
    `{"policy": [{"do": "allow", "tool": "x"}]}`,
    "policy[0].tool: expected a known key, found a string",
  ],
  [
    `{"policy": [{"do": "deny", "actor": "modle"}]}`,
    'policy[0].actor: expected one of user, script, model, gateway, found "modle"',
  ],
  [
    `{"policy": [{"do": "deny", "annotations": {"readonlyHint": true}}]}`,
    "policy[0].annotations.readonlyHint: expected a known key, found true",
  ],
  [
    `{"limits": {"lineBytesMax": -1}}`,
    "limits.lineBytesMax: expected a whole number, 1 or more, found a number",
  ],
  [`{"inputs": [{"id": 3}]}`, "inputs[0].id: expected a string, found a number"],
])("refuses the whole file where its rules are wrong: %s", async (text, message) => {
  const error = await errorOf(() => configOf(text));
  expect(error.code).toBe("config");
  expect(error.message).toBe(`servers.json: ${message}`);
});

test("reads policy and limits", async () => {
  const config = await configOf(
    `{"mcpServers": {}, "limits": {"lineBytesMax": 1e6, "pageMax": 3},
      "policy": [{"tools": "fs_*", "actor": "model", "annotations": {"destructiveHint": true},
                  "arguments": {"/path": "/etc/*"}, "do": "ask", "reason": "why"}]}`,
  );
  expect(config.limits).toEqual({ lineBytesMax: 1_000_000 });
  expect(config.policy).toMatchObject([
    {
      tools: "fs_*",
      actor: "model",
      annotations: { destructiveHint: true },
      arguments: { "/path": "/etc/*" },
      do: "ask",
      reason: "why",
      origin: { label: "servers.json", kind: "named" },
    },
  ]);
  expect(config.warnings).toEqual([
    `servers.json: limits: nobody knows the key "pageMax"; did you mean pagesMax?`,
  ]);
});

test("takes long strings, and gives up on open ones, in linear time", async () => {
  const long = "x".repeat(5_000_000);
  const config = await configOf(`{"mcpServers": {"a": {"command": "a", "args": ["${long}"]}}}`);
  expect(config.servers[0]).toMatchObject({ args: [long] });
  const error = await errorOf(() => configOf(`{"a": "${long}`));
  expect([error.facts.line, error.facts.column]).toEqual([1, 7]);
  expect((await errorOf(() => configOf(`{"a": 1 /*${long}`))).facts.column).toBe(9);
});
