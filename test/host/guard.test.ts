/** What keeps a module's user and the host apart, where no call shows it. */
import { expect, test } from "bun:test";

import { debug, silent } from "../../lib/base/log.ts";
import { guardedLog } from "../../lib/host/guard.ts";

const never = () => {
  throw new Error("it was made");
};

test("a text that nobody wants to know is not made", () => {
  debug(guardedLog(silent), "srv", never);
  expect(() =>
    debug(
      guardedLog(() => {}),
      "srv",
      never,
    ),
  ).toThrow("it was made");
});

test("a log that throws loses its entry, and nothing else", () => {
  const log = guardedLog(() => {
    throw new Error("full");
  });
  expect(() => log({ level: "warn", text: "x" })).not.toThrow();
});
