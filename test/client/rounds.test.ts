import { expect, test } from "bun:test";

import type { HostError } from "../../lib/base/errors.ts";
import { connect } from "../../lib/client/client.ts";
import type { ConnectOptions } from "../../lib/client/connect-types.ts";
import { metaOf, modernScript, scripted, text } from "./kit.ts";
import type { Incoming, Scripted } from "./kit.ts";

const ask = (message: string) => ({ method: "elicitation/create", params: { message } });

/** A modern server that asks by the given bodies in turn, and is done then. */
function asking(bodies: object[], extra: Partial<ConnectOptions> = {}): Scripted {
  let round = 0;
  const call = () => {
    const body = bodies[round++];
    return body
      ? { resultType: "input_required", ...body }
      : { resultType: "complete", ...text("done") };
  };
  return scripted(modernScript({ call }), extra);
}

function calls(server: Scripted): Incoming[] {
  return server.received.filter(({ method }) => method === "tools/call");
}

test("every question is answered, under a new id, with the state exactly as given", async () => {
  const state = ' {"a":1}\u2028é ';
  const server = asking(
    [
      {
        inputRequests: { ["__proto__"]: ask("Who?"), list: { method: "roots/list" } },
        requestState: state,
      },
      { inputRequests: { ok: ask("Sure?") } },
    ],
    {
      answers: {
        elicit: async ({ message }) =>
          message === "Who?"
            ? { action: "accept", content: { name: "Ada" } }
            : { action: "decline" },
        roots: async () => [{ uri: "file:///srv" }],
      },
    },
  );
  await using client = await connect(server.options);
  let sent = 0;
  const { result } = await client.callTool("one", { x: 1 }, { onSent: () => sent++ });
  expect(result).toMatchObject(text("done"));
  expect(sent).toBe(1);
  const [first, second, third] = calls(server);
  expect(new Set(calls(server).map(({ id }) => id)).size).toBe(3);
  for (const message of calls(server)) {
    expect(message.params).toMatchObject({ name: "one", arguments: { x: 1 } });
    expect(metaOf(message)["io.modelcontextprotocol/clientCapabilities"]).toMatchObject({
      roots: {},
      elicitation: { form: {} },
    });
  }
  expect(Object.keys(first?.params ?? {}).toSorted()).toEqual(["_meta", "arguments", "name"]);
  expect(second?.params.requestState).toBe(state);
  expect(Object.entries(second?.params.inputResponses)).toEqual([
    ["__proto__", { action: "accept", content: { name: "Ada" } }],
    ["list", { roots: [{ uri: "file:///srv" }] }],
  ]);
  expect(third?.params).not.toHaveProperty("requestState");
  expect(third?.params.inputResponses).toEqual({ ok: { action: "decline" } });
});

test("only a state: asked again with it, after a pause", async () => {
  const server = asking([{ requestState: "s1" }, { requestState: "s2" }]);
  await using client = await connect(server.options);
  const start = performance.now();
  await client.callTool("one", {});
  expect(performance.now() - start).toBeGreaterThan(100);
  expect(calls(server).map(({ params }) => params.requestState)).toEqual([undefined, "s1", "s2"]);
  for (const { params } of calls(server)) expect(params).not.toHaveProperty("inputResponses");
});

test("a server that never comes to an end is given up", async () => {
  const body = { inputRequests: { ok: ask("Again?") } };
  const server = asking(
    Array.from({ length: 50 }, () => body),
    {
      roundsMax: 3,
      answers: { elicit: async () => ({ action: "accept" }) },
    },
  );
  await using client = await connect(server.options);
  await expect(client.callTool("one", {})).rejects.toMatchObject({
    code: "rpc_error",
    message: expect.stringContaining("3 times"),
  });
  expect(calls(server)).toHaveLength(4);
});

test("a question that nobody can answer ends the call at once and is shown", async () => {
  const body = { inputRequests: { ok: ask("What is your name?") }, requestState: "s" };
  const server = asking([body]);
  await using client = await connect(server.options);
  await expect(client.callTool("one", {})).rejects.toMatchObject({
    code: "rpc_error",
    message: expect.stringContaining("What is your name?"),
    facts: { server: "far", inputRequests: body.inputRequests },
  });
  expect(calls(server)).toHaveLength(1);
});

test("where one question of several cannot be answered, none is asked", async () => {
  const asked: unknown[] = [];
  const server = asking(
    [{ inputRequests: { a: ask("Name?"), b: { method: "sampling/createMessage", params: {} } } }],
    {
      answers: {
        elicit: async (params) => {
          asked.push(params);
          return { action: "accept" };
        },
      },
    },
  );
  await using client = await connect(server.options);
  await expect(client.callTool("one", {})).rejects.toMatchObject({ code: "rpc_error" });
  expect(asked).toEqual([]);
});

test("a flood of questions is refused", async () => {
  const inputRequests = Object.fromEntries(
    Array.from({ length: 101 }, (_, i) => [`q${i}`, ask(`${i}`)]),
  );
  const server = asking([{ inputRequests }], {
    answers: { elicit: async () => ({ action: "accept" }) },
  });
  await using client = await connect(server.options);
  await expect(client.callTool("one", {})).rejects.toMatchObject({ code: "rpc_error" });
});

test("-32021 is passed on plainly", async () => {
  const error = {
    code: -32021,
    message: "elicitation is required",
    data: { requiredCapabilities: {} },
  };
  const server = scripted(modernScript({ call: ({ id }, far) => far.send({ id, error }) }));
  await using client = await connect(server.options);
  await expect(client.callTool("one", {})).rejects.toMatchObject({
    code: -32021,
    message: error.message,
  });
});

test("input asked for by tools/list is a fault of the server", async () => {
  const body = { resultType: "input_required", inputRequests: { a: ask("?") } };
  const server = scripted(modernScript({ list: () => body }), {
    answers: { elicit: async () => ({ action: "accept" }) },
  });
  await using client = await connect(server.options);
  await expect(client.listTools()).rejects.toMatchObject({ code: "rpc_error" });
});

test("aborting during the pause or a question ends the call", async () => {
  const abort = new AbortController();
  const server = asking([{ inputRequests: { a: ask("?") } }], {
    answers: {
      elicit: async (_, { signal }) => {
        queueMicrotask(() => abort.abort());
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return { action: "cancel" };
      },
    },
  });
  await using client = await connect(server.options);
  const call = client.callTool("one", {}, { signal: abort.signal });
  await expect(call).rejects.toMatchObject({ code: "cancelled" });
});

test("the hint of what nobody answers names what would answer that, and nothing else", async () => {
  const url = { method: "elicitation/create", params: { mode: "url", message: "Sign in" } };
  const sample = { method: "sampling/createMessage", params: {} };
  for (const [question, option] of [
    [ask("Name?"), "answers"],
    [url, "elicitUrl"],
    [sample, undefined],
    [{ method: "roots/list" }, undefined],
  ] as const) {
    const server = asking([{ inputRequests: { a: question } }], {});
    await using client = await connect(server.options);
    const error = await client.callTool("one", {}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "rpc_error" });
    const { facts, hint } = error as HostError;
    expect(facts["option"]).toBe(option);
    expect(/`roots` of its config/.test(hint ?? "")).toBe(question.method === "roots/list");
  }
});
