import { expect, test } from "bun:test";

import { holdsHangup } from "../../lib/cli/signals.ts";

test.each([
  ["SigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\nSigCgt:\t0", true],
  ["SigBlk:\t0000000000000001\nSigIgn:\t0000000000001000\nSigCgt:\t0", false],
  ["SigIgn:\tffffffffffffffff\n", true],
  ["Name:\tx\n", false],
  ["", false],
])("%j", (status, ignored) => {
  expect(holdsHangup(status)).toBe(ignored);
});
