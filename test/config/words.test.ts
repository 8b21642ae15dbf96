/** What people write on a command line: command lines, specs, durations, dotenv files; and what is hidden of it. */
import { expect, test } from "bun:test";

import { parseDuration, parseTimeout } from "../../lib/config/duration.ts";
import { parseEnvFile } from "../../lib/config/env-file.ts";
import { redact } from "../../lib/config/redact.ts";
import { secretsOfArgument, secretsOfHeader, secretsOfUrl } from "../../lib/config/secrets.ts";
import { parseCommandLine } from "../../lib/config/shell-words.ts";
import { parseSpec } from "../../lib/config/spec.ts";
import { errorOf, plain } from "./kit.ts";

const lines = [
  `a 'b c' "d e"`,
  `a '' ""`,
  `a\\ b c`,
  `"a\\"b" '\\n'`,
  `a"b"'c'd`,
  `"a\\xb" "\\$X" "\\\`" "\\\\"`,
  "a \\\n b",
  "a\\\nb",
  `a\tb  c`,
  `'a=1' b`,
  `"a\\\nb"`,
  `x 'it'\\''s'`,
  `--x="1 2"`,
  `a=b`,
  `é 日本`,
  `\\a\\'\\"`,
  "",
];

test.each(lines)("splits %j as sh does", async (line) => {
  const { env, words } = parseCommandLine(`cmd ${line}`);
  const child = Bun.spawn(
    ["sh", "-c", `for word do printf '%s\\0' "$word"; done`, "sh", ...words],
    { stdout: "pipe" },
  );
  const shell = Bun.spawn(
    ["sh", "-c", `set -- cmd ${line}\nfor word do printf '%s\\0' "$word"; done`],
    { stdout: "pipe" },
  );
  expect(await child.stdout.text()).toBe(await shell.stdout.text());
  expect(env).toEqual({});
});

test("expands nothing", () => {
  const line = "$HOME ${X} *.ts a;b #c d#e `ls` ~/x {a,b} $(id) !x http://x/?a=1&b=2";
  expect(parseCommandLine(line).words).toEqual(line.split(" "));
});

test("takes assignments in front as environment, as sh does", () => {
  expect(parseCommandLine(`A=1 B="x y" C= cmd D=4`)).toEqual({
    env: { A: "1", B: "x y", C: "" },
    words: ["cmd", "D=4"],
  });
  expect(parseCommandLine(`'A=1' cmd`)).toEqual({ env: {}, words: ["A=1", "cmd"] });
  expect(parseCommandLine(`__proto__=1 cmd`).env).toEqual(
    Object.assign(Object.create(null), { ["__proto__"]: "1" }),
  );
});

test.each([`a 'b`, `a "b`, `a \\`, "a | b", "a && b", "a > f", "a ; b"])(
  "refuses %j",
  async (line) => {
    expect((await errorOf(() => parseCommandLine(line))).code).toBe("usage");
  },
);

test("takes a quoted operator as a word", () => {
  expect(parseCommandLine(`jq '|' "&&"`).words).toEqual(["jq", "|", "&&"]);
});

const specs: [spec: string, server: object][] = [
  [
    "fs=npx -y server .",
    { kind: "stdio", name: "fs", command: "npx", args: ["-y", "server", "."] },
  ],
  [
    "fs=TOKEN='a b' npx x",
    { kind: "stdio", name: "fs", command: "npx", args: ["x"], givenEnv: { TOKEN: "a b" } },
  ],
  [
    "serena:stdio:uvx --from serena-mcp serena-mcp",
    { kind: "stdio", name: "serena", command: "uvx", args: ["--from", "serena-mcp", "serena-mcp"] },
  ],
  [
    "x:stdio:A=1 cmd --k=v",
    { kind: "stdio", name: "x", command: "cmd", args: ["--k=v"], givenEnv: { A: "1" } },
  ],
  [
    "docs:http:http://localhost:8080/mcp",
    { kind: "http", name: "docs", transport: "http", url: "http://localhost:8080/mcp" },
  ],
  [
    "docs:sse:https://d/sse",
    { kind: "http", name: "docs", transport: "sse", url: "https://d/sse" },
  ],
  ["docs:ws:wss://d", { kind: "http", name: "docs", transport: "ws", url: "wss://d" }],
  [
    "docs=https://d/mcp?k=${KEY}",
    { kind: "http", name: "docs", transport: "auto", url: "https://d/mcp?k=${KEY}" },
  ],
  [
    "https://docs.example.com/mcp?a=b",
    { kind: "http", name: "docs", transport: "auto", url: "https://docs.example.com/mcp?a=b" },
  ],
  [
    "http://localhost:8080/mcp",
    { kind: "http", name: "localhost", url: "http://localhost:8080/mcp" },
  ],
  ["http://127.0.0.1:1/mcp", { kind: "http", name: "localhost" }],
  ["http://[::1]:1/mcp", { kind: "http", name: "localhost" }],
  ["http://203.0.113.7/mcp", { kind: "http", name: "203-0-113-7" }],
  ["http://[2001:db8::1]/mcp", { kind: "http", name: "2001-db8-1" }],
  ["ws://x.y/", { kind: "http", name: "x", transport: "ws" }],
  ["curl=curl http://x/", { kind: "stdio", name: "curl", command: "curl", args: ["http://x/"] }],
  ["__proto__=cmd", { kind: "stdio", name: "__proto__", command: "cmd" }],
  ["a=cmd ${HOME} ~", { kind: "stdio", command: "cmd", args: ["${HOME}", "~"], literal: true }],
];

test.each(specs)("reads -s %j", (spec, server) => {
  expect(plain(parseSpec(spec))).toMatchObject(server);
});

test.each([
  "npx -y x --a=b",
  "name",
  "=cmd",
  "a=",
  "a:stdio:",
  "a:http:cmd",
  "a:foo:x",
  "a=A=1",
  "http://",
  "",
])("refuses -s %j, and says how to write it", async (spec) => {
  const error = await errorOf(() => parseSpec(spec));
  expect(error.code).toBe("usage");
});

test.each([
  ["x=ftp://foo/mcp", /begins with http:/],
  ["x=127.0.0.1:41001/mcp", /is written whole: http:\/\/127\.0\.0\.1:41001…/],
  ["localhost:41001/mcp?key=s3cr3t", /is written whole: http:\/\/localhost:41001…/],
  ["[::1]:1/mcp", /is written whole: http:\/\/\[::1\]:1…/],
])("an address that is not whole: -s %j", async (spec, hint) => {
  const error = await errorOf(() => parseSpec(spec));
  expect(error).toMatchObject({ code: "usage", hint: expect.stringMatching(hint) });
});

test.each([
  ["30s", 30_000],
  ["500ms", 500],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["30", 30_000],
  ["1.5", 1500],
  [".5s", 500],
  [" 1 s ", 1000],
  ["0", 0],
  ["0.0ms", 0],
  ["0.0001", 1],
  [".4ms", 1],
  ["1.4ms", 1],
  ["9999h", 2_147_483_647],
  ["", undefined],
  ["s", undefined],
  ["-1s", undefined],
  ["1e3", undefined],
  ["1d", undefined],
  ["1s2", undefined],
] as [string, number | undefined][])("a duration %j is %p ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test("a tiny timeout is not none at all", () => {
  expect([0.0001, "0.0001", "0.1ms"].map(parseTimeout)).toEqual([1, 1, 1]);
});

test("a timeout that is no number is none", () => {
  for (const value of [Number.NaN, null, {}, [], "1.2.3"])
    expect(parseTimeout(value)).toBeUndefined();
});

const dotenv = `\uFEFF# comment
A=1
  export B = two words   # comment
C='single \\n # kept'
D="double\\n\\"x\\" \\\\ $HOME # kept" # comment
E="over
lines"
F=
G=a#b
H=\`back "quoted"\`\r
I.dotted-name=x
A=2
LAST=no newline`;

test("reads dotenv files", () => {
  expect(parseEnvFile(dotenv, ".env")).toEqual({
    A: "2",
    B: "two words",
    C: "single \\n # kept",
    D: 'double\n"x" \\ $HOME # kept',
    E: "over\nlines",
    F: "",
    G: "a#b",
    H: 'back "quoted"',
    "I.dotted-name": "x",
    LAST: "no newline",
  });
});

test.each([
  ["A=1\n\nno assignment\n", 3],
  [`A="open\n`, 1],
  [`A="x" y`, 1],
])("says which dotenv line is wrong: %j", async (text, line) => {
  const error = await errorOf(() => parseEnvFile(text, ".env"));
  expect([error.code, error.facts.line]).toEqual(["config", line]);
});

test.each<[before: string, argument: string, secrets: string[]]>([
  ["-e", "TOKEN=s3cr3t-1", ["s3cr3t-1"]],
  ["-e", "token=s3cr3t-1", ["s3cr3t-1"]],
  ["--env", "a.b=s3cr3t-1", ["s3cr3t-1"]],
  ["", "--env=A=s3cr3t-1", ["s3cr3t-1"]],
  ["", "-eA=s3cr3t-1", ["s3cr3t-1"]],
  ["--api-key", "s3cr3t-1", ["s3cr3t-1"]],
  ["", "--apiKey=s3cr3t-1", ["s3cr3t-1"]],
  ["--header", "Authorization: Bearer s3cr3t-1", ["Bearer s3cr3t-1", "s3cr3t-1"]],
  ["", "postgres://u:s3cr3t-1@h/d?a=s3cr3t-2", ["s3cr3t-1", "s3cr3t-2", "dTpzM2NyM3QtMQ=="]],
  ["--token", "--verbose", []],
  ["--token-file", "/run/secrets/token", []],
  ["--verbose", "plain-word", []],
  ["", "path=some-folder", []],
])("%s %s holds %p", (before, argument, secrets) => {
  expect([...new Set(secretsOfArgument(argument, before))].toSorted()).toEqual(secrets.toSorted());
});

test("a scheme alone is no secret; what stands behind it is, clipped or packed, too", () => {
  const bearer = secretsOfHeader("Bearer wrongtoken");
  expect(redact("--header 'Authorization: Bearer …'", bearer)).toContain("Bearer …");
  expect(redact("Bearer wrong…", bearer)).toBe("***…");
  expect(redact("Bearer wrongtoken", bearer)).toBe("***");
  // A token that is too short to be a form of its own.
  expect(redact("--header 'Authorization: Bearer …'", ["Bearer wrong"])).toContain("Bearer …");
  expect(redact("Bearer wron…", ["Bearer wrong"])).toBe("***…");
  const basic = secretsOfHeader(`Basic ${btoa("user:pa55word99")}`);
  expect(redact("who is user with pa55word99?", basic)).toBe("who is user with ***?");
  const url = secretsOfUrl("http://user:pa55word99@h/");
  expect(redact(`bad token Basic ${btoa("user:pa55word99")}`, url)).toBe("bad token Basic ***");
});

test.each([
  ["/s/PaThSeCrEt-1234abcd/mcp", ["PaThSeCrEt-1234abcd"]],
  ["/s/3f9c2d1e4b567a89/mcp", ["3f9c2d1e4b567a89"]],
  ["/api/mcp/0b0d3c8e-3a0e-4d39-9d3a-2f8f0c1a7b55", ["0b0d3c8e-3a0e-4d39-9d3a-2f8f0c1a7b55"]],
  ["/v1/2025-11-25/some-server-name-v2/mcp", []],
  ["/MyServerName2024/mcp.v1", []],
])("of the path of an address, what is no name is a secret: %s", (path, secrets) => {
  expect(secretsOfUrl(`https://host${path}`)).toEqual(secrets);
});

test("hides a key as a host name has it, in small letters", () => {
  const key = "AbCdEfGhIjKlMnOp12345678";
  expect(redact("redirects to http://abcdefghijklmnop12345678.test", [key])).not.toContain("abc");
});

test("hides secrets by their values, the longest first, in the forms of JSON and URLs too", () => {
  const secrets = [
    "s3cr3t",
    "s3cr3t-long",
    'quo"te\\d',
    "p@ss w0rd",
    "1",
    "",
    "line one\nline two",
  ];
  expect(redact("a s3cr3t-long b s3cr3t c 1", secrets)).toBe("a *** b *** c 1");
  expect(redact(JSON.stringify({ k: 'quo"te\\d' }), secrets)).toBe(`{"k":"***"}`);
  expect(redact("http://x/?k=p%40ss%20w0rd", secrets)).toBe("http://x/?k=***");
  expect(redact("> line two", secrets)).toBe("> ***");
  const log = JSON.stringify({ text: JSON.stringify({ k: 'quo"te\\d' }) });
  expect(redact(log, secrets)).not.toContain("quo");
  expect(redact(`b64 ${btoa("s3cr3t-long")}`, secrets)).toBe("b64 ***=");
  // Clipped in its middle.
  expect(redact("key s3cr3t-lo… and p@ss w…, s3c…", ["s3cr3t-long", "p@ss w0rd"])).toBe(
    "key ***… and ***…, s3c…",
  );
  expect(redact("\ud800", ["\ud800\ud800\ud800\ud800\ud800\ud800"])).toBe("\ud800");
});
