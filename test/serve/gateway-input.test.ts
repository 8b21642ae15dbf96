/** Modern clients of the gateway answer what servers of either era ask before they answer (protocol.md 1.9, 2.6). */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { full, gatewayOver, textOf } from "./gateway-kit.ts";
import { ask, call, next, post, rude, through } from "./input-kit.ts";

const accept = { action: "accept", content: { name: "Ada" } };
const paramsOf = (message: string) => ({ name: "ask", arguments: { message } });

describe.each(["legacy", "modern"] as const)("in front of a %s server", (era) => {
  test("a question comes as the server put it, and its answer goes back as it is", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const params = { name: "ask", arguments: { message: "Who?" } };
    const { last, rounds } = await through(kit, "tools/call", params, () => accept);
    expect(rounds).toHaveLength(1);
    const [asked] = Object.values(rounds[0]!.result.inputRequests) as any[];
    expect(asked).toEqual({
      method: "elicitation/create",
      params: { mode: "form", message: "Who?", requestedSchema: expect.any(Object) },
    });
    expect(asked.params.requestedSchema.properties.size.default).toBe("small");
    expect(JSON.parse(textOf(last))).toEqual(accept);
    expect(last.result.resultType).toBe("complete");
  });

  test("several questions, one after the other; other kinds; answers that say no", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const asked: string[] = [];
    const twice = await through(kit, "tools/call", { name: "ask_twice" }, ({ params }) => {
      asked.push(params.message);
      return { action: params.message === "First?" ? "accept" : "decline" };
    });
    expect(asked).toEqual(["First?", "Second?"]);
    expect(JSON.parse(textOf(twice.last))).toEqual([{ action: "accept" }, { action: "decline" }]);

    const message = { role: "assistant", content: { type: "text", text: "hi" }, model: "m" };
    const sampled = await through(kit, "tools/call", { name: "sample" }, ({ method, params }) => {
      expect([method, params.maxTokens]).toEqual(["sampling/createMessage", 10]);
      return message;
    });
    expect(JSON.parse(textOf(sampled.last))).toEqual(message);

    const roots = { roots: [{ uri: "file:///a", name: "a" }] };
    const listed = await through(kit, "tools/call", { name: "roots" }, ({ method }) => {
      expect(method).toBe("roots/list");
      return roots;
    });
    expect(JSON.parse(textOf(listed.last))).toEqual(roots);

    const visited = await through(kit, "tools/call", { name: "ask_url" }, ({ params }) => {
      expect([params.mode, params.url]).toEqual(["url", "https://example.com/sign-in?state=1"]);
      return { action: "accept" };
    });
    expect(JSON.parse(textOf(visited.last))).toEqual({ action: "accept" });
  });

  test("prompts and resources ask as tools do", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const prompt = await through(kit, "prompts/get", { name: "asks" }, () => accept);
    expect([prompt.rounds.length, JSON.stringify(prompt.last.result.messages)]).toEqual([
      1,
      expect.stringContaining("Ada"),
    ]);
    const resource = await through(kit, "resources/read", { uri: "asks://name" }, () => accept);
    expect([resource.rounds.length, resource.last.result.contents[0].text]).toEqual([
      1,
      expect.stringContaining("Ada"),
    ]);
  });

  test("what is not answered is asked again, and what was not asked is ignored", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const params = { name: "ask" };
    const first = await ask(kit, "tools/call", params);
    const empty = await ask(
      kit,
      "tools/call",
      next(params, first, () => undefined),
    );
    expect(empty.result.resultType).toBe("input_required");
    expect(Object.values(empty.result.inputRequests)).toEqual(
      Object.values(first.result.inputRequests),
    );
    const answers = next(params, empty, () => accept) as { inputResponses: object };
    const last = await ask(kit, "tools/call", {
      ...answers,
      inputResponses: { ...answers.inputResponses, other: accept },
    });
    expect(JSON.parse(textOf(last))).toEqual(accept);
  });

  test("progress and logs of each round are told under that round's token", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const level = { "io.modelcontextprotocol/logLevel": "debug" };
    const slow = { name: "slow", arguments: { steps: 2, ms: 1 } };
    const all = await post(kit, "tools/call", slow, { meta: { progressToken: "p1" } });
    expect(all.slice(0, -1).map(({ params }) => params.progressToken)).toEqual(["p1", "p1"]);
    const log = { name: "log", arguments: { level: "debug" } };
    const logged = await post(kit, "tools/call", log, { meta: level });
    expect(logged.map(({ method }) => method)).toEqual(["notifications/message", undefined]);
    const silent = await post(kit, "tools/call", log);
    expect(silent.map(({ method }) => method)).toEqual([undefined]);
  });

  test("calls of one client at once are each asked, and each answered, for itself", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const messages = ["a", "b", "c", "d"];
    const firsts = await Promise.all(
      messages.map((message) => ask(kit, "tools/call", paramsOf(message))),
    );
    const answers = await Promise.all(
      messages.toReversed().map((message) => {
        const first = firsts[messages.indexOf(message)]!;
        const [asked] = Object.values(first.result.inputRequests) as any[];
        expect(asked.params.message).toBe(message);
        const given = { action: "accept", content: { name: message } };
        return ask(
          kit,
          "tools/call",
          next(paramsOf(message), first, () => given),
        );
      }),
    );
    expect(answers.map((one) => JSON.parse(textOf(one)).content.name)).toEqual(
      messages.toReversed(),
    );
  });

  test("a client that leaves before the answer has cancelled its call", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const ends: string[] = [];
    using _watching = kit.host.onEvent((event) => {
      if (event.type === "call_end") ends.push(`${event.tool} ${event.status}`);
    });
    const abort = new AbortController();
    const asked = call(kit, "hang", {}, { signal: abort.signal }).catch(() => {});
    await waitFor(() => kit.logged.some(({ text }) => text === "tools/call of hang is sent"));
    abort.abort();
    await asked;
    await waitFor(() => ends.includes("hang cancelled"));
    // A legacy server may still be at work on it: the next call is at another one.
    const count = era === "modern" ? "1" : "0";
    await waitFor(async () => textOf(await call(kit, "cancelled")) === count);
  });
});

test("a client is not asked what it does not declare: the request is refused", async () => {
  await using kit = gatewayOver({ s: full("modern") });
  const init = { capabilities: { sampling: {} } };
  const refused = await call(kit, "ask", {}, init);
  expect(refused.error).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { elicitation: {} } },
  });
  expect((await call(kit, "ask", {}, { capabilities: {} })).error?.code).toBe(-32021);
  // Forms alone were declared.
  const url = await call(kit, "ask_url", {}, { capabilities: { elicitation: {} } });
  expect(url.error).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { elicitation: { url: {} } } },
  });
});

test("a server that asks for what was not declared is not listened to, whatever else was", async () => {
  await using kit = gatewayOver({ s: rude });
  for (const capabilities of [{}, { elicitation: {} }, { sampling: {} }])
    expect((await call(kit, "rude", {}, { capabilities })).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: { tools: {} } } },
    });
  const { result } = await call(kit, "rude", {}, { capabilities: { sampling: { tools: {} } } });
  expect(Object.keys(result.inputRequests)).toEqual(["model"]);
  // Where nothing is to be kept, there is no state.
  expect(result.requestState).toBeUndefined();
});

test("the state of a modern server comes back to it as it was, and nothing is kept meanwhile", async () => {
  await using kit = gatewayOver({ s: full("modern") });
  const params = { name: "ask_twice" };
  const first = await ask(kit, "tools/call", params);
  // Its state is base64 of JSON, and is not shown.
  expect(() => JSON.parse(atob(first.result.requestState))).toThrow();
  const again = next(params, first, () => accept);
  // Sent twice, it is answered twice: nothing is used up.
  const [one, other] = await Promise.all([
    ask(kit, "tools/call", again),
    ask(kit, "tools/call", again),
  ]);
  expect(Object.keys(one.result.inputRequests)).toEqual(["second"]);
  expect(Object.keys(other.result.inputRequests)).toEqual(["second"]);
});
