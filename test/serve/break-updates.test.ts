/** Subscriptions that end before they have begun. */
import { expect, test } from "bun:test";

import { Updates } from "../../lib/serve/gateway-updates.ts";

test("who waits for one is told what happened", async () => {
  using updates = new Updates({
    host: { subscribe: async () => "ended" as const },
    log: () => {},
    followedMax: 1,
  });
  const waiting = updates.follow({ server: "s", uri: "a:b" }, () => {});
  expect(await waiting.catch((error: unknown) => error)).toMatchObject({
    code: "cancelled",
    message: 'server "s": the subscription to a:b ended before it had begun',
  });
});
