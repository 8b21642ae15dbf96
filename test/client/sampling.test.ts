/** Sampling in both eras: the rules of a request, and of its answer (protocol.md 1.15). */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import type { Answers } from "../../lib/client/answer-types.ts";
import { connect } from "../../lib/client/client.ts";
import { requestFault } from "../../lib/client/sampling.ts";
import { legacyScript, metaOf, modernScript, scripted, text } from "./kit.ts";

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const words = { type: "text", text: "hi" };
const use = (id: string) => ({ type: "tool_use", id, name: "t", input: {} });
const result = (toolUseId: string) => ({ type: "tool_result", toolUseId, content: [] });
const request = (...messages: object[]) => ({ messages, maxTokens: 10 }) as unknown as JsonObject;

test.each<[string, JsonObject, string | undefined]>([
  ["one message", request(user(words)), undefined],
  ["several blocks", request(user([words, words])), undefined],
  [
    "tool uses that are answered",
    request(user(words), assistant([words, use("a"), use("b")]), user([result("b"), result("a")])),
    undefined,
  ],
  ["no maxTokens", { messages: [] }, "maxTokens"],
  ["no messages", { maxTokens: 1 }, "messages"],
  ["a strange role", request({ role: "system", content: words }), "role"],
  ["content that is text", request(user("hi")), "content"],
  [
    "results beside words",
    request(assistant(use("a")), user([result("a"), words])),
    "something else",
  ],
  ["a use without result", request(assistant(use("a"))), "no result"],
  [
    "a use that another message follows",
    request(assistant(use("a")), user(words)),
    "do not answer",
  ],
  ["a result of nothing", request(user(result("a"))), "do not answer"],
  [
    "half of the results",
    request(assistant([use("a"), use("b")]), user([result("a")])),
    "do not answer",
  ],
  ["a user who uses tools", request(user(use("a"))), "uses tools"],
])("%s", (_, params, fault) => {
  const found = requestFault(params);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});

const answer = { role: "assistant", content: words, model: "m", stopReason: "endTurn" };

/** What a server of this era gets for a question during a call; for a modern one, how the call ended. */
async function sampled(era: "legacy" | "modern", answers: Answers, params: object): Promise<any> {
  const question = { method: "sampling/createMessage", params };
  const reply = Promise.withResolvers<any>();
  let declared: unknown;
  const legacy = legacyScript({
    call: async (_, far) => {
      far.send({ id: 900, ...question });
      await reply.promise;
      return text("done");
    },
  });
  const modern = modernScript({
    call: (message) => {
      declared = metaOf(message)["io.modelcontextprotocol/clientCapabilities"].sampling;
      const { inputResponses } = message.params;
      if (inputResponses === undefined)
        return { resultType: "input_required", inputRequests: { q: question } };
      reply.resolve({ result: inputResponses.q });
      return { resultType: "complete", ...text("done") };
    },
  });
  const script = era === "modern" ? modern : legacy;
  const server = scripted(
    (message, far) => {
      if (message.method === "initialize") declared = message.params["capabilities"].sampling;
      if (message.method === undefined) return reply.resolve(message);
      return script(message, far);
    },
    { answers },
  );
  await using client = await connect(server.options);
  const ended = await client.callTool("one", {}).catch((error: unknown) => {
    reply.resolve({ error });
  });
  void ended;
  const { result: given, error } = await reply.promise;
  return { declared, given, error };
}

describe.each(["legacy", "modern"] as const)("%s", (era) => {
  test("a request is answered as its answerer says", async () => {
    let got: unknown;
    const sample = async (params: JsonObject) => ((got = params), answer);
    const params = { ...request(user(words)), temperature: 0.5, modelPreferences: { hints: [] } };
    const { declared, given } = await sampled(era, { sample }, params);
    expect(declared).toEqual({});
    expect(given).toEqual(answer);
    expect(got).toEqual(params);
  });

  test("tools only where they were declared", async () => {
    const params = { ...request(user(words)), tools: [], toolChoice: { mode: "auto" } };
    const sample = async () => answer;
    const without = await sampled(era, { sample }, params);
    expect(without.error).toMatchObject({ code: era === "legacy" ? -32602 : "rpc_error" });
    const having = await sampled(era, { sample, sampleTools: true }, params);
    expect(having.declared).toEqual({ tools: {} });
    expect(having.given).toEqual(answer);
  });

  test.each<[string, JsonObject | undefined, object, number]>([
    ["a faulty request", answer, request(user(result("a"))), -32602],
    ["a refusal", undefined, request(user(words)), -1],
    ["an answer that is none", { content: words }, request(user(words)), -32603],
  ])("%s is an error", async (_, given, params, code) => {
    const { error } = await sampled(era, { sample: async () => given }, params);
    if (era === "legacy") expect(error).toMatchObject({ code });
    else if (code === -32603) expect(String(error)).toContain("is no message");
    else expect(error).toMatchObject({ code: "rpc_error", facts: { rpcCode: code } });
  });

  test("nobody to answer: not declared, and refused at once", async () => {
    const { declared, error } = await sampled(era, {}, request(user(words)));
    expect(declared).toBeUndefined();
    expect(error).toMatchObject({ code: era === "legacy" ? -32601 : "rpc_error" });
  });
});
