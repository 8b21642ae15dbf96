/** A trace that a client of `/tools` brings goes on to the server; what is no trace does not. */
import { expect, test } from "bun:test";

import { serveOver } from "./kit.ts";
import { eventsOf, fixtureKit, jsonOf } from "./rest-kit.ts";

const program = `import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
  const meta = (_args, message) => text(JSON.stringify(message.params._meta ?? null));
  await serve({ tools: [tool("meta")], calls: { meta } });`;
const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("by each way of calling", async () => {
  await using kit = serveOver({ s: { prefix: "s_", args: ["-e", program] } });
  const headers = { traceparent: trace, tracestate: "a=b,c=d", baggage: "user=ann" };
  const json = { tool: "s_meta" };
  const plain = await jsonOf(await kit.ask("/tools", { json, headers }));
  expect(JSON.parse(plain.plain_text_response)).toMatchObject(headers);
  const own = await jsonOf(await kit.ask("/tools/s_meta", { json: {}, headers }));
  expect(JSON.parse(own.content[0].text)).toMatchObject(headers);
  const streamed = await kit.ask("/tools", { json: { ...json, stream: true }, headers });
  expect(JSON.parse((await eventsOf(streamed))[0].chunk)).toMatchObject(headers);
});

test.each([
  "",
  "00",
  trace.toUpperCase(),
  trace.replace("00-", "ff-"),
  trace.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
  trace.replace("b7ad6b7169203331", "0".repeat(16)),
  `${trace}-x`,
])("%j is none, and its company is left out", async (traceparent) => {
  await using kit = serveOver({ s: { prefix: "s_", args: ["-e", program] } });
  const headers = { traceparent, tracestate: "a=b" };
  const answer = await jsonOf(await kit.ask("/tools", { json: { tool: "s_meta" }, headers }));
  expect(answer.plain_text_response).not.toContain("trace");
});
