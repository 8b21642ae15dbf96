import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { report, telling } from "../../lib/cli/report.ts";
import { RpcError } from "../../lib/protocol/jsonrpc.ts";

const plain = { json: false, debug: false, terminal: false };
const json = { ...plain, json: true };

const dead = new HostError("server_start", 'server "db" exited with code 3', {
  facts: { server: "db", exitCode: 3, stderr: ["starting", "", "DB_URL is not set", "bye"] },
  hint: "--env DB_URL passes yours on",
});

test("one to four lines: what failed, the last words of the server, what to do", () => {
  expect(report(dead, plain)).toBe(`mcphost: server "db" exited with code 3
  stderr: DB_URL is not set
  stderr: bye
  --env DB_URL passes yours on
`);
});

test("as JSON: one object on one line, with every fact", () => {
  const text = report(dead, json);
  expect(text.trimEnd()).not.toContain("\n");
  expect(JSON.parse(text)).toEqual({
    error: {
      code: "server_start",
      message: 'server "db" exited with code 3',
      hint: "--env DB_URL passes yours on",
      server: "db",
      exitCode: 3,
      stderr: ["starting", "", "DB_URL is not set", "bye"],
    },
  });
});

test("facts never stand in for code and message, and facts that are no JSON are left out", () => {
  const facts = { code: "forged", message: "forged", big: 1n };
  const error = new HostError("config", "wrong", { facts });
  expect(JSON.parse(report(error, json))).toEqual({ error: { code: "config", message: "wrong" } });
});

test("a server's own error keeps its number and its data", () => {
  const error = new RpcError({ code: -32602, message: "bad\n  cursor", data: { a: 1 } });
  expect(report(error, plain)).toBe('mcphost: error -32602: bad cursor\n  data: {"a":1}\n');
  expect(JSON.parse(report(error, json))).toEqual({
    error: {
      code: "rpc_error",
      message: "error -32602: bad\n  cursor",
      rpcCode: -32602,
      rpcData: { a: 1 },
    },
  });
});

test("a fault of ours shows no stack, but with debug, causes included", () => {
  const error = new TypeError("x is undefined", { cause: new Error("deeper") });
  expect(report(error, plain).split("\n")).toHaveLength(3);
  expect(report(error, { ...plain, debug: true })).toMatch(
    /at .*report\.test[\s\S]*caused by:[\s\S]*deeper/,
  );
  expect(report("thrown", plain)).toContain("thrown");
});

test("on a terminal control characters of a server are visible", () => {
  const error = new HostError("rpc_error", "\u001b[2J", {
    facts: { stderr: ["\u001b]0;x\u0007"] },
  });
  expect(report(error, { ...plain, terminal: true })).toMatch(
    /^mcphost: \\u001b\[2J\n {2}stderr: \\u001b\]0;x\\u0007\n$/,
  );
  expect(report(error, plain)).toContain("\u001b[2J");
});

describe("the telling lines of a stderr", () => {
  test.each<[string, string[], string[]]>([
    [
      "node",
      [
        "/x/index.js:3",
        'throw new Error("API_KEY is required")',
        "      ^",
        "Error: API_KEY is required",
        "    at Object.<anonymous> (/x/index.js:3:7)",
        "    at node:internal/main:28:49",
        "",
        "Node.js v24.1.0",
      ],
      ['throw new Error("API_KEY is required")', "Error: API_KEY is required"],
    ],
    [
      "node, of a file that is not there",
      [
        "node:internal/modules/cjs/loader:1210",
        "  throw err;",
        "  ^",
        "",
        "Error: Cannot find module '/x/nosuch.js'",
        "    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)",
        "    at node:internal/main/run_main_module:28:49 {",
        "  code: 'MODULE_NOT_FOUND',",
        "  requireStack: []",
        "}",
        "",
        "Node.js v20.20.2",
      ],
      ["Error: Cannot find module '/x/nosuch.js'"],
    ],
    [
      "an error with much behind it",
      ["KeyError: 'API_KEY'", "closing", "one", "two"],
      ["KeyError: 'API_KEY'", "two"],
    ],
    [
      "python",
      [
        "Traceback (most recent call last):",
        '  File "s.py", line 3, in <module>',
        "KeyError: 'API_KEY'",
      ],
      ["Traceback (most recent call last):", "KeyError: 'API_KEY'"],
    ],
    [
      "npm",
      [
        "npm error code E404",
        "npm error 404 Not Found - GET https://registry.npmjs.org/nope",
        "npm error 404",
        "npm error 404  'nope@*' is not in this registry.",
        "npm error 404 Note that you can also install from a",
        "npm error 404 tarball, folder, http url, or git url.",
        "npm error A complete log of this run can be found in: /x/debug-0.log",
      ],
      [
        "npm error 404 Not Found - GET https://registry.npmjs.org/nope",
        "npm error 404  'nope@*' is not in this registry.",
      ],
    ],
    ["nothing but frames", ["    at a", "    at b", "    at c"], ["    at b", "    at c"]],
    ["nothing", [], []],
  ])("%s", (_, stderr, told) => {
    expect(telling(stderr, 2)).toEqual(told);
  });
});
