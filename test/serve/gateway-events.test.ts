/** Every event of the gateway that holds a message says so by its name: there are clients that drop one without a name. */
import { expect, test } from "bun:test";

import { both, full, gatewayOver, modernInit, session } from "./gateway-kit.ts";

/** Name and method or id of each message in a stream, until `isLast` of them; an event that holds none is left out. */
async function namesIn(response: Response, isLast: (data: string) => boolean = () => false) {
  const names: (string | undefined)[] = [];
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const events = rest.split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const [, data] = /^data: (.+)$/m.exec(event) ?? [];
      if (data === undefined) continue;
      names.push(/^event: (.*)$/m.exec(event)?.[1]);
      if (isLast(data)) return names;
    }
  }
  return names;
}

const slow = { name: "slow", arguments: { steps: 2, ms: 5 }, _meta: { progressToken: 1 } };
const called = ["message", "message", "message"];

test.each(["2025-03-26", "2025-06-18", "2025-11-25"])(
  "calls of a client of %s",
  async (revision) => {
    await using kit = gatewayOver({ s: full() });
    const one = await session(kit, { revision });
    expect(await namesIn(await one.request("tools/call", slow))).toEqual(called);
    const only = await one.ask({
      json: { jsonrpc: "2.0", id: 2, method: "ping" },
      headers: { accept: "text/event-stream" },
    });
    expect(await namesIn(only)).toEqual(["message"]);
  },
);

test("what is sent again, and news on a session's own stream", async () => {
  await using kit = gatewayOver({ s: full() });
  const one = await session(kit);
  const first = await one.request("tools/call", slow);
  const [, id] = /^id: (\S+)/m.exec(await first.text()) ?? [];
  const again = await one.ask({ headers: { accept: "text/event-stream", "last-event-id": id! } });
  expect(await namesIn(again)).toEqual(called);
  const own = await one.ask({ headers: { accept: "text/event-stream" } });
  await one.call("change", { list: "tools" });
  expect(await namesIn(own, (data) => data.includes("tools/list_changed"))).toEqual(["message"]);
});

test("a greeting for who takes nothing but a stream", async () => {
  await using kit = gatewayOver({ s: full() });
  const params = { protocolVersion: "2025-11-25", capabilities: {} };
  const greeting = await kit.ask("/mcp", {
    json: { jsonrpc: "2.0", id: 0, method: "initialize", params },
    headers: { accept: "text/event-stream" },
  });
  expect(await namesIn(greeting)).toEqual(["message"]);
});

test("calls and subscriptions of a modern client", async () => {
  await using kit = gatewayOver({ s: full("modern") });
  const progressToken = { progressToken: 1 };
  const call = modernInit("tools/call", slow, { meta: progressToken, headers: { accept: both } });
  expect(await namesIn(await kit.ask("/mcp", call))).toEqual(called);
  const notifications = { toolsListChanged: true };
  const listen = modernInit("subscriptions/listen", { notifications } as object);
  const stream = await kit.ask("/mcp", listen);
  expect(await namesIn(stream, (data) => data.includes("acknowledged"))).toEqual(["message"]);
});
