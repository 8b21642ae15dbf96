/** Secrets that are known by and by: each text is without those known when it is shown. */
import { expect, test } from "bun:test";

import { Secrets } from "../../lib/cli/secrets.ts";

test("what is known later is hidden later, and asked for once", () => {
  const secrets = new Secrets();
  let asked = 0;
  const later = (secret: string) =>
    secrets.later(() => {
      asked += 1;
      return [secret];
    });
  expect(secrets.hide("first-key second-key")).toBe("first-key second-key");
  later("first-key");
  expect(secrets.hide("first-key second-key")).toBe("*** second-key");
  expect(secrets.hide("second-key first-key")).toBe("second-key ***");
  later("second-key");
  later("first-key");
  expect(secrets.hide("first-key second-key")).toBe("*** ***");
  expect(asked).toBe(3);
});
