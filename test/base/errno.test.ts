/** The codes of errors of the system. */
import { expect, test } from "bun:test";

import { errnoOf } from "../../lib/base/errors.ts";

test("an error has the code that it says, and nothing else has one", () => {
  expect(errnoOf(Object.assign(new Error("x"), { code: "ENOENT" }))).toBe("ENOENT");
  for (const other of [new Error("x"), { code: "ENOENT" }, undefined])
    expect(errnoOf(other)).toBeUndefined();
});
