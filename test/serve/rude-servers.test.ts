/** What servers say of themselves when something is wrong with them: without secrets, and never so that a call hangs. */
import { expect, test } from "bun:test";

import { answerTo, session, told } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";
import type { KitOptions } from "./kit.ts";
import { answering, eventsOf, seen } from "./rest-kit.ts";

const redact: KitOptions["redact"] = (text) => text.replaceAll("s3cr3t", "***");
const talkative = answering(
  `'"error":{"code":-32000,"message":"no: s3cr3t","data":{"key":"s3cr3t"}}'`,
);

test("the secrets of a server are in no error that a client gets", async () => {
  await using it = serveOver({ s: talkative }, { redact });
  const json = await seen(it.ask("/tools", { json: { tool: "s_t" } }));
  expect(json).toMatchObject({ status: 200, body: { error: "no: ***", rpcData: { key: "***" } } });
  const streamed = await eventsOf(await it.ask("/tools", { json: { tool: "s_t", stream: true } }));
  expect(streamed.at(-1)).toMatchObject({ done: true, error: "no: ***", rpcData: { key: "***" } });
  const client = await session(it);
  const { error } = answerTo(await told(await client.call("s_t"))) ?? {};
  expect(error).toEqual({ code: -32000, message: "no: ***", data: { key: "***" } });
});

const deep = `"[".repeat(50_000) + "]".repeat(50_000)`;

test.each([
  ["an error's data", `'"error":{"code":-32000,"message":"no","data":' + ${deep} + "}"`],
  ["a result", `'"result":{"structuredContent":{},"content":[{"type":"x","a":' + ${deep} + '}]}'`],
])(
  "%s that is nested too deeply ends its call, whoever called",
  async (_what, piece) => {
    await using it = serveOver({ s: answering(piece) });
    const json = await seen(it.ask("/tools", { json: { tool: "s_t" } }));
    expect(json).toMatchObject({ status: 200, body: { error: expect.any(String) } });
    const streamed = await eventsOf(
      await it.ask("/tools", { json: { tool: "s_t", stream: true } }),
    );
    expect(streamed.at(-1)).toMatchObject({ done: true, error: expect.any(String) });
    // A revision that knows no structured content: its results are written anew.
    const client = await session(it, { revision: "2024-11-05" });
    expect(answerTo(await told(await client.call("s_t")))?.error?.message).toBeString();
  },
  30_000,
);
