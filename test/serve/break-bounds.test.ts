/** What is kept of a client for as long as it stays is small. */
import { expect, test } from "bun:test";

import { answerTo, full, gatewayOver, modernInit, session, told } from "./gateway-kit.ts";

const invalidParams = -32602;

test("capabilities that are too large are refused", async () => {
  await using kit = gatewayOver({ s: full() });
  const capabilities = { sampling: { more: "x".repeat(100_000) } };
  const { greeting } = await session(kit, { capabilities });
  expect(greeting.error?.code).toBe(invalidParams);
  const { greeting: fine } = await session(kit, { capabilities: { sampling: { a: { b: 1 } } } });
  expect(fine.result).toBeDefined();
});

test("so are addresses of subscriptions", async () => {
  await using kit = gatewayOver({ s: full() });
  const uri = `s/note:///${"x".repeat(20_000)}`;
  const client = await session(kit);
  const [refused] = await told(await client.request("resources/subscribe", { uri }));
  expect(refused?.error?.code).toBe(invalidParams);
  const leaving = new AbortController();
  const notifications = { toolsListChanged: true, resourceSubscriptions: [uri] };
  const response = await kit.ask(
    "/mcp",
    modernInit("subscriptions/listen", { notifications } as object, { signal: leaving.signal }),
  );
  let text = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("acknowledged") && text.endsWith("\n\n")) break;
  }
  leaving.abort();
  expect(text).toContain('"notifications":{"toolsListChanged":true}');
  expect(answerTo(await told(await client.request("ping")))?.result).toEqual({});
});
