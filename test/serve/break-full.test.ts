/** Calls while as many streams are open as may be. */
import { expect, test } from "bun:test";

import { full, gatewayOver, modernInit, session, textOf, told } from "./gateway-kit.ts";

const params = { name: "slow", arguments: { steps: 3, ms: 20 }, _meta: { progressToken: "t" } };

test("a call is answered without a stream where there is no room for one", async () => {
  await using kit = gatewayOver({ s: full() }, { streamsMax: 0, gateway: { streamAfterMs: 10 } });
  const client = await session(kit);
  const legacy = await client.request("tools/call", params);
  const modern = await kit.ask(
    "/mcp",
    modernInit("tools/call", params, { meta: { progressToken: "t" } }),
  );
  for (const response of [legacy, modern]) {
    expect(response.status).toBe(200);
    const all = await told(response);
    expect(all).toHaveLength(1);
    expect(textOf(all[0])).toBe("done after 3 steps");
  }
});

test("what is nothing but a stream is refused, and follows nothing", async () => {
  const gateway = { subscriptionsMax: 1 };
  await using kit = gatewayOver({ s: full() }, { streamsMax: 0, gateway });
  const client = await session(kit);
  const [{ result } = {}] = await told(await client.request("resources/list"));
  const [first, second] = result.resources.map(({ uri }: { uri: string }) => uri);
  const notifications = { resourceSubscriptions: [first] };
  const listen = modernInit("subscriptions/listen", { notifications } as object);
  expect((await kit.ask("/mcp", listen)).status).toBe(503);
  const [subscribed] = await told(await client.request("resources/subscribe", { uri: second }));
  expect(subscribed?.result).toEqual({});
});
