/** What a server asks in the middle of a request, and what of it is answered, refused or declared. */
import { expect, test } from "bun:test";

import type { Answers } from "../../lib/client/answer-types.ts";
import { connect } from "../../lib/client/client.ts";
import { legacyScript, metaOf, modernScript, scripted, text, tool, until } from "./kit.ts";
import type { LegacyParts } from "./kit.ts";

/** A legacy server that asks something in the middle of a call and answers with what it was told. */
function asking(method: string, params: object): LegacyParts {
  return {
    call: async ({ id }, far) => {
      far.send({ id: "question", method, params });
      pendingCalls.set(far, id);
    },
  };
}

const pendingCalls = new WeakMap<object, unknown>();

async function askedInCall(method: string, params: object, answers: Answers): Promise<any> {
  const legacy = legacyScript(asking(method, params));
  const server = scripted(
    (message, far) => {
      if (message.id === "question" && message.method === undefined) {
        const { result, error } = message;
        far.send({
          id: pendingCalls.get(far),
          result: { answer: result ?? null, error: error ?? null },
        });
      } else return legacy(message, far);
    },
    { answers },
  );
  await using client = await connect(server.options);
  return (await client.callTool("one", {})).result;
}

test("an elicitation is answered by the answerer, while the call waits", async () => {
  const said = await askedInCall(
    "elicitation/create",
    { message: "Who?" },
    { elicit: async () => ({ action: "accept", content: { name: "Ada" } }) },
  );
  expect(said.answer).toEqual({ action: "accept", content: { name: "Ada" } });
});

test.each(["elicitation/create", "sampling/createMessage", "roots/list", "something/else"])(
  "%s without an answerer is refused at once with -32601",
  async (method) => {
    const said = await askedInCall(method, {}, {});
    expect(said.error).toMatchObject({ code: -32601 });
  },
);

test("what was not declared is refused, though the method was", async () => {
  const answers = { elicit: async () => ({ action: "accept" }), sample: async () => ({}) };
  const url = { mode: "url", url: "https://example.com", message: "Open?" };
  expect((await askedInCall("elicitation/create", url, answers)).error.code).toBe(-32602);
  const tools = { messages: [], maxTokens: 1, tools: [{}] };
  expect((await askedInCall("sampling/createMessage", tools, answers)).error.code).toBe(-32602);
});

test("an answerer that throws is an error for the server, and only for it", async () => {
  const said = await askedInCall(
    "sampling/createMessage",
    { messages: [], maxTokens: 1 },
    { sample: () => Promise.reject(new Error("no model")) },
  );
  expect(said.error).toMatchObject({ code: -32603 });
});

test("exactly what can be answered is declared", async () => {
  const answers = { roots: async () => [], elicit: async () => ({ action: "decline" }) };
  const legacy = scripted(legacyScript(), { answers });
  await using first = await connect(legacy.options);
  expect(first.era).toBe("legacy");
  expect(
    legacy.received.find(({ method }) => method === "initialize")?.params.capabilities,
  ).toEqual({
    roots: {},
    elicitation: { form: {} },
  });
  const modern = scripted(modernScript(), { answers: { sample: async () => ({}) } });
  await using b = await connect(modern.options);
  await b.listTools();
  for (const message of modern.received) {
    expect(metaOf(message)["io.modelcontextprotocol/clientCapabilities"]).toEqual({
      sampling: {},
      extensions: { "io.modelcontextprotocol/tasks": {} },
    });
  }
});

test("roots asked for in the middle of tools/list are answered before the list", async () => {
  let list: unknown;
  const legacy = legacyScript({
    list: ({ id }, far) => {
      list = id;
      far.send({ id: 1, method: "roots/list" });
    },
  });
  const server = scripted(
    (message, far) => {
      if (message.method !== undefined) return legacy(message, far);
      far.send({
        id: list,
        result: { tools: message.result.roots.map(({ name }: any) => tool(name)) },
      });
    },
    { answers: { roots: async () => [{ uri: "file:///srv", name: "srv" }] } },
  );
  await using client = await connect(server.options);
  expect((await client.listTools()).tools).toMatchObject([{ name: "srv" }]);
});

test("a modern server that sends requests is refused, but for ping", async () => {
  const server = scripted(
    modernScript({
      call: (_, far) => {
        far.send({ id: 1, method: "roots/list" });
        far.send({ id: 2, method: "ping" });
        return text("done");
      },
    }),
    { answers: { roots: async () => [] } },
  );
  await using client = await connect(server.options);
  await client.callTool("one", {});
  await until(() => server.received.filter(({ method }) => method === undefined).length === 2);
  const replies = server.received.filter(({ method }) => method === undefined);
  expect(replies.find(({ id }) => id === 1)?.error).toMatchObject({ code: -32601 });
  expect(replies.find(({ id }) => id === 2)?.result).toEqual({});
});
