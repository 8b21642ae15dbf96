/** Flags are named by the command line alone: what a module's user reads names options. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { HostError } from "../../lib/base/errors.ts";
import { hintOf } from "../../lib/cli/flag-hints.ts";
import { root } from "../harness.ts";

const hinted = (code: "timeout" | "auth_required", facts: object) =>
  hintOf(new HostError(code, "it failed", { facts: { ...facts }, hint: "do this" }));

test.each([
  ["timeoutMs", "do this (--timeout)"],
  ["startTimeoutMs", "do this (or name a longer --timeout)"],
  ["policy", "do this (--allow-tool echo, or --wait-approval to wait for an answer)"],
  ["answers", "do this (call it on a terminal, or with --elicit JSON)"],
  ["toString", "do this"],
  [undefined, "do this"],
])("what sets the option %s is named", (option, expected) => {
  expect(hinted("timeout", { tool: "echo", option })).toBe(expected);
});

test("a sign-in is a header", () => {
  expect(hinted("auth_required", { httpStatus: 401 })).toContain("--header 'Authorization: ");
  expect(hintOf(new HostError("timeout", "x", { facts: { option: "timeoutMs" } }))).toBeUndefined();
});

test("no text of the rooms that a module's user meets names a flag", async () => {
  const rooms = "base,protocol,process,transport,client,hooks,host";
  const found: string[] = [];
  for await (const path of new Bun.Glob(`lib/{${rooms}}/**/*.ts`).scan(root)) {
    const text = await Bun.file(join(root, path)).text();
    const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "");
    for (const [string] of code.matchAll(/(["'`])(?:\\.|(?!\1).)*\1/g))
      for (const [flag] of string.matchAll(/(?<![\w-])--[a-z][a-z-]+/g))
        found.push(`${path}: ${flag}`);
  }
  expect(found).toEqual([]);
});
