/** Log notifications as servers write them, for whoever takes only those of the specification. */
import { expect, test } from "bun:test";

import { withKnownLevel } from "../../lib/protocol/log-level.ts";

test("one that is in order is the same object", () => {
  for (const log of [
    { level: "info", data: "a" },
    { level: "error", logger: "l", data: null, more: 1 },
  ])
    expect(withKnownLevel(log)).toBe(log);
});

test.each([
  [
    { level: "WARN", data: 0 },
    { level: "warning", data: 0 },
  ],
  [
    { level: "info", logger: null, data: "a" },
    { level: "info", data: "a" },
  ],
  [
    { level: "info", message: "old" },
    { level: "info", message: "old", data: "old" },
  ],
  [{ level: "info" }, { level: "info", data: "" }],
  [{ level: "loud", data: "a" }, undefined],
  [{ data: "a" }, undefined],
])("%j", (log, expected) => {
  expect(withKnownLevel(log as never)).toEqual(expected as never);
});
