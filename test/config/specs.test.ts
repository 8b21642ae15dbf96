/** Servers as they are named behind -s: specs that are read, and how to write those that are not. */
import { expect, test } from "bun:test";

import { parseSpec } from "../../lib/config/spec.ts";
import { errorOf, plain } from "./kit.ts";

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

test("a name alone is told how a server of a config is meant", async () => {
  const hint =
    /a server of a config goes by the names of its tools: fs\.TOOL, and 'fs\.\*' for all$/;
  const error = await errorOf(() => parseSpec("fs"));
  expect(error).toMatchObject({ code: "usage", hint: expect.stringMatching(hint) });
  expect((await errorOf(() => parseSpec("fs x"))).hint).not.toContain("config");
});
