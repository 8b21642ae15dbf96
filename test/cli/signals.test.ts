import { expect, test } from "bun:test";

import { hasTerminal, holdsHangup, isAttended } from "../../lib/cli/signals.ts";

test.each([
  ["SigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\nSigCgt:\t0", true],
  ["SigBlk:\t0000000000000001\nSigIgn:\t0000000000001000\nSigCgt:\t0", false],
  ["SigIgn:\tffffffffffffffff\n", true],
  ["Name:\tx\n", false],
  ["", false],
])("%j", (status, ignored) => {
  expect(holdsHangup(status)).toBe(ignored);
});

test.each([
  ["6734 (bun) S 6733 6733 28165 0 -1 4194304 932", false],
  ["6734 (bun) S 6733 6733 28165 34816 6733 4194304 932", true],
  ["6734 (a ) S 1 (b) R 1 1 1 0 -1 0", false],
  ["6734 (a ) S 1 0 0) R 1 1 1 34817 -1 0", true],
  ["", false],
])("a terminal in %j: %p", (stat, has) => {
  expect(hasTerminal(stat)).toBe(has);
});

test("any of the streams that is a terminal attends us", async () => {
  const none = { stdin: false, stdout: false, stderr: false };
  for (const name of ["stdin", "stdout", "stderr"])
    expect(await isAttended({ ...none, [name]: true })).toBe(true);
});
