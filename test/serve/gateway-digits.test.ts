/** Numbers that no double holds, in all that goes through the gateway while a call runs: each digit of them arrives. */
import { describe, expect, test } from "bun:test";

import { entry } from "../cases/kit.ts";
import { mcphost } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { gatewayOver, modernInit, session } from "./gateway-kit.ts";
import { everything } from "./input-kit.ts";
import { serveOver } from "./kit.ts";

const big = "9007199254740993";
const bigsIn = (text: string) => Array.from(text.matchAll(/900719925474\d+/g), String);

const n = JSON.rawJSON(big);

/** What a client says to a form and to a model's question. */
const answers: Record<string, object> = {
  "elicitation/create": { action: "accept", content: { n } },
  "sampling/createMessage": {
    role: "assistant",
    model: "m",
    content: { type: "text", text: "n" },
    _meta: { n },
  },
};

describe.each([
  ["legacy", "talk.numbers"],
  ["modern", "talk.modern-numbers"],
])("in front of a %s server", (_, fault) => {
  test("a legacy client is told and asked, and answers, with every digit", async () => {
    await using kit = gatewayOver({ s: entry(fault, {}, big) });
    const client = await session(kit, { capabilities: everything });
    await client.notify("notifications/initialized");
    const response = await client.call("fault", {}, "call", { progressToken: 7 });
    let all = "";
    const decoder = new TextDecoder();
    const read = (async () => {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        all += decoder.decode(chunk, { stream: true });
    })();
    for (const id of [1, 2]) {
      const asked = new RegExp(`"id":${id},"method":"([^"]*)"`);
      await waitFor(() => asked.test(all), `question ${id}`);
      await client.answer(id, { result: answers[asked.exec(all)![1]!] });
    }
    await read;
    // One in the log, two in the progress, three in the form, one in the other question, and the two answers.
    expect(bigsIn(all)).toEqual(Array(9).fill(big));
  });

  test("a modern client, too", async () => {
    await using kit = gatewayOver({ s: entry(fault, {}, big) });
    const meta = {
      progressToken: 7,
      "io.modelcontextprotocol/logLevel": "debug",
      "io.modelcontextprotocol/clientCapabilities": everything,
    };
    const texts: string[] = [];
    const ask = async (more: object = {}) => {
      const params = { name: "fault", arguments: {}, ...more };
      const text = await (await kit.ask("/mcp", modernInit("tools/call", params, { meta }))).text();
      texts.push(text);
      const last = text.split("\n").findLast((line) => line.includes('"result"')) ?? "";
      return JSON.parse(last.replace(/^data: */, "")).result;
    };
    let result = await ask();
    while (result.resultType === "input_required") {
      const { requestState, inputRequests } = result;
      const given = Object.entries(inputRequests).map(([key, { method }]: any) => [
        key,
        answers[method],
      ]);
      result = await ask({ requestState, inputResponses: Object.fromEntries(given) });
    }
    const all = texts.join("");
    expect(bigsIn(all)).toEqual(Array(9).fill(big));
  });
});

test("updates of resources keep them", async () => {
  await using kit = gatewayOver({ s: entry("talk.numbers", {}, big) });
  const client = await session(kit);
  const stream = await client.ask({ headers: { accept: "text/event-stream" } });
  await client.request("resources/subscribe", { uri: "a:1" });
  const decoder = new TextDecoder();
  let all = "";
  for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
    all += decoder.decode(chunk, { stream: true });
    if (all.includes("resources/updated")) break;
  }
  expect(all).toContain(`"_meta":{"n":${big}}`);
});

test("progress keeps them in a stream of POST /tools", async () => {
  await using kit = serveOver({ s: entry("talk.numbers", {}, big) });
  const answer = await kit.ask("/tools", { json: { tool: "s_fault", params: {}, stream: true } });
  expect(await answer.text()).toContain(`{"progress":{"progress":${big},"total":${big}}}`);
});

test("on the command line, too, and a form is answered with the whole of its default", async () => {
  const config = JSON.stringify({ mcpServers: { s: entry("talk.numbers", {}, big) } });
  const words = ["--json", "--events", "--elicit", "{}", "--config-json", config];
  const run = await mcphost("call", "fault", ...words).run();
  expect([bigsIn(run.stdout), bigsIn(run.stderr)]).toEqual([[big], [big, big, big]]);
});
