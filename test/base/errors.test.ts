import { expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";

test("what console.log shows of one begins with its message, and quotes no source", () => {
  const error = new HostError("denied", "it is denied", { facts: { tool: "a" }, hint: "ask" });
  expect(Bun.inspect(error)).toBe('HostError (denied): it is denied\n  ask\n  {"tool":"a"}');
  expect(Bun.inspect({ error: new HostError("timeout", "too late") })).toContain(
    "error: HostError (timeout): too late",
  );
});
