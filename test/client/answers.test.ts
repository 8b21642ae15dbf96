/** What servers may ask of us, in both eras: what is declared, what is refused, and what is sent. */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import type { Answers } from "../../lib/client/answer-types.ts";
import { capabilitiesOf } from "../../lib/client/answers.ts";
import { connect } from "../../lib/client/client.ts";
import type { ConnectOptions } from "../../lib/client/connect-types.ts";
import { legacyScript, modernScript, scripted, text, until } from "./kit.ts";
import type { Scripted } from "./kit.ts";

const accept = async () => ({ action: "accept" });
const form = (properties: JsonObject, required: string[] = []) => ({
  message: "Please",
  requestedSchema: { type: "object", properties, required },
});

describe("capabilities", () => {
  const all: Answers = {
    roots: async () => [],
    elicit: accept,
    elicitUrl: accept,
    sample: async () => undefined,
    sampleTools: true,
  };

  const extensions = { "io.modelcontextprotocol/tasks": {} };

  test.each<[string, Answers, JsonObject]>([
    ["2024-11-05", {}, {}],
    ["2025-06-18", all, { roots: {}, sampling: {}, elicitation: {} }],
    ["2025-06-18", { elicitUrl: accept }, {}],
    ["2025-11-25", { elicit: accept }, { elicitation: { form: {} } }],
    ["2025-11-25", { elicitUrl: accept }, { elicitation: { url: {} } }],
    ["2025-11-25", all, { roots: {}, sampling: { tools: {} }, elicitation: { form: {}, url: {} } }],
    ["2026-07-28", { sample: async () => undefined }, { sampling: {}, extensions }],
    [
      "2026-07-28",
      { elicit: accept, elicitUrl: accept },
      { elicitation: { form: {}, url: {} }, extensions },
    ],
    // Tools without anybody who samples are nothing.
    ["2026-07-28", { sampleTools: true }, { extensions }],
  ])("in %s", (revision, answers, expected) => {
    expect(capabilitiesOf(answers, revision)).toEqual(expected);
  });
});

/** A server of either era that asks one question during each call, and keeps what it was answered. */
function asking(era: "legacy" | "modern", answers: Answers, extra: Partial<ConnectOptions> = {}) {
  const replies: any[] = [];
  const state = { method: "elicitation/create", params: {} as object };
  const asked = new Map<unknown, (reply: object) => void>();
  let id = 100;
  const legacy = legacyScript({
    call: async (_, far) => {
      const own = ++id;
      const reply = new Promise((resolve) => asked.set(own, resolve));
      far.send({ id: own, ...state });
      replies.push(await reply);
      return text("done");
    },
  });
  const modern = modernScript({
    call: ({ params }) => {
      const { inputResponses } = params;
      if (inputResponses === undefined)
        return { resultType: "input_required", inputRequests: { q: state } };
      replies.push({ result: inputResponses.q });
      return { resultType: "complete", ...text("done") };
    },
  });
  const server: Scripted = scripted(
    era === "modern"
      ? modern
      : (message, far) => {
          if (message.method === undefined) return asked.get(message.id)?.(message);
          return legacy(message, far);
        },
    { answers, ...extra },
  );
  return {
    server,
    replies,
    /** One call, during which this is asked. */
    async ask(params: object, method = "elicitation/create") {
      Object.assign(state, { method, params });
      await using client = await connect(server.options);
      const { result } = await client.callTool("one", {});
      expect(result).toMatchObject(text("done"));
      const reply = replies.at(-1);
      return reply.error ?? reply.result;
    },
  };
}

describe.each(["legacy", "modern"] as const)("%s", (era) => {
  test("who answers is told which server asks, and gets the params as they are", async () => {
    const got: unknown[] = [];
    const { ask } = asking(era, {
      elicit: async (params, { server, signal, faults }) => {
        got.push(params, server, signal instanceof AbortSignal, faults);
        return { action: "decline" };
      },
    });
    const params = { ...form({ a: { type: "string" } }), more: [1] };
    expect(await ask(params)).toEqual({ action: "decline" });
    expect(got).toEqual([params, "far", true, undefined]);
  });

  test("defaults fill in what an accepted answer leaves out", async () => {
    const { ask } = asking(era, {
      elicit: async () => ({ action: "accept", content: { a: "x" } }),
    });
    const properties = {
      a: { type: "string", default: "y" },
      b: { type: "integer", default: 0 },
      c: { type: "boolean", default: false },
      d: { type: "string" },
      e: { type: "array", items: { type: "string", enum: ["p", "q"] }, default: ["q"] },
      // One that does not fit its own field is not sent.
      f: { type: "integer", default: "none" },
      ["__proto__"]: { type: "string", default: "own" },
    };
    const reply = await ask(form(properties));
    expect(Object.entries(reply.content)).toEqual([
      ["a", "x"],
      ["b", 0],
      ["c", false],
      ["e", ["q"]],
      ["__proto__", "own"],
    ]);
  });

  test("an answer that does not fit is asked for again with its faults", async () => {
    const seen: unknown[] = [];
    const { ask } = asking(era, {
      elicit: async (_, { faults }) => {
        seen.push(faults);
        const content = [{}, { mail: "nobody" }, { mail: "a@b.c" }][seen.length - 1] ?? {};
        return { action: "accept", content };
      },
    });
    const reply = await ask(form({ mail: { type: "string", format: "email" } }, ["mail"]));
    expect(reply).toEqual({ action: "accept", content: { mail: "a@b.c" } });
    expect(seen).toEqual([undefined, ["mail is missing"], ["mail must be an e-mail address"]]);
  });

  test("one that never fits is declined, with a warning, and never sent", async () => {
    let times = 0;
    const { ask, server } = asking(era, {
      elicit: async () => (times++, { action: "accept", content: { n: "1" } }),
    });
    expect(await ask(form({ n: { type: "number" } }))).toEqual({ action: "decline" });
    expect(times).toBe(3);
    const warned = server.log.filter(({ level }) => level === "warn").map((entry) => entry.text);
    expect(warned).toEqual(["its form was declined, for no answer fitted it: n must be a number"]);
  });

  test.each([
    ["a pattern", { code: { type: "string", pattern: "^[A-Z]{3}$" } }, { code: "abc" }],
    ["what no form has", { o: { type: "object", required: ["x"] } }, { o: {} }],
  ])("%s is checked by the whole schema", async (_, properties, content) => {
    const { ask } = asking(era, { elicit: async () => ({ action: "accept", content }) });
    expect(await ask(form(properties as JsonObject))).toEqual({ action: "decline" });
  });

  test.each([
    [{ action: "cancel", content: { a: 1 } }, { action: "cancel" }],
    [{ action: "later" }, { action: "decline" }],
    [{}, { action: "decline" }],
    [null, { action: "decline" }],
  ])("the answer %j is sent as %j", async (answer, sent) => {
    const { ask } = asking(era, { elicit: async () => answer as unknown as JsonObject });
    expect(await ask(form({}))).toEqual(sent);
  });

  test.each([
    ["https://example.com/x", "accept"],
    ["http://127.0.0.1:8080/x", "accept"],
    ["http://[::1]/x", "accept"],
    ["http://localhost/x", "accept"],
    ["http://example.com/x", "decline"],
    ["http://localhost.example.com/", "decline"],
    ["javascript:alert(1)", "decline"],
    ["file:///etc/passwd", "decline"],
    ["not a url", "decline"],
    [7, "decline"],
  ])("the URL %s: %s", async (url, action) => {
    let asked = 0;
    const elicitUrl = async () => (asked++, { action: "accept", content: { a: 1 } });
    const { ask } = asking(era, { elicitUrl });
    expect(await ask({ mode: "url", url, message: "m", elicitationId: "e" })).toEqual({ action });
    expect(asked).toBe(action === "accept" ? 1 : 0);
  });

  test("a mode that was not declared is refused", async () => {
    const url = { mode: "url", url: "https://example.com/", message: "m", elicitationId: "e" };
    for (const [answers, params] of [
      [{ elicit: accept }, url],
      [{ elicitUrl: accept }, form({})],
      [{ elicit: accept, elicitUrl: accept }, { mode: "dance" }],
    ] as const) {
      const reply = asking(era, answers).ask(params);
      if (era === "legacy") expect(await reply).toMatchObject({ code: -32602 });
      else await expect(reply).rejects.toMatchObject({ code: "rpc_error" });
    }
  });

  test("a person may take longer than the call's idle time", async () => {
    const { server } = asking(era, {
      elicit: async () => {
        await Bun.sleep(400);
        return { action: "accept" };
      },
    });
    await using client = await connect(server.options);
    const { result } = await client.callTool("one", {}, { timeoutMs: 150, timeoutMaxMs: 300 });
    expect(result).toMatchObject(text("done"));
  });
});

describe("B097 a question that nobody can answer", () => {
  test("is refused at once, and the log tells what was asked", async () => {
    const { ask, server } = asking("legacy", {});
    expect(await ask({ message: "Your name?" })).toMatchObject({ code: -32601 });
    expect(server.received[1]?.params.capabilities ?? {}).not.toHaveProperty("elicitation");
    expect(server.log.find(({ level }) => level === "warn")?.text).toContain("Your name?");
  });

  test("an answerer that throws is an error to the server, and nothing hangs", async () => {
    const { ask } = asking("legacy", {
      elicit: async () => {
        throw new Error("no terminal");
      },
    });
    expect(await ask(form({}))).toMatchObject({ code: -32603, message: "no terminal" });
  });
});

const complete = (far: any, elicitationId: string) =>
  far.send({ method: "notifications/elicitation/complete", params: { elicitationId } });
const calls = (server: Scripted) => server.methods().filter((one) => one === "tools/call");

describe("-32042", () => {
  const elicitations = ["one", "two"].map((elicitationId) => ({
    mode: "url",
    elicitationId,
    url: `https://example.com/${elicitationId}`,
    message: "Sign in",
  }));
  const error = { code: -32042, message: "visit these first", data: { elicitations } };

  /** Refuses the first `times` calls. */
  function refusing(times: number, answers: Answers, then: (far: any) => void = () => {}) {
    let left = times;
    return scripted(
      legacyScript({
        call: ({ id }, far) => {
          if (left-- <= 0) return text("done");
          far.send({ id, error });
          then(far);
        },
      }),
      { answers },
    );
  }

  test("the URLs are visited, their completion waited for, and the call is sent once more", async () => {
    const visited: unknown[] = [];
    let far: any;
    const server = refusing(
      1,
      { elicitUrl: async ({ url }) => (visited.push(url), { action: "accept" }) },
      (it) => (far = it),
    );
    await using client = await connect(server.options);
    let sent = 0;
    const call = client.callTool("one", { x: 1 }, { onSent: () => sent++ });
    await until(() => visited.length === 2);
    complete(far, "stranger");
    complete(far, "one");
    complete(far, "one");
    await Bun.sleep(20);
    expect(calls(server)).toHaveLength(1);
    complete(far, "two");
    expect((await call).result).toMatchObject(text("done"));
    expect(calls(server)).toHaveLength(2);
    expect(sent).toBe(1);
    expect(visited).toEqual(["https://example.com/one", "https://example.com/two"]);
  });

  test("what is complete before the last question is answered is not waited for", async () => {
    let far: any;
    const elicitUrl = async ({ elicitationId }: JsonObject) => {
      complete(far, String(elicitationId));
      await Bun.sleep(5);
      return { action: "accept" };
    };
    const server = refusing(1, { elicitUrl }, (it) => (far = it));
    await using client = await connect(server.options);
    expect((await client.callTool("one", {}, { timeoutMs: 20_000 })).result).toMatchObject(
      text("done"),
    );
  });

  test("a server that tells of no completion is asked again when the time is up, once", async () => {
    const server = refusing(9, { elicitUrl: accept });
    await using client = await connect(server.options);
    const call = client.callTool("one", {}, { timeoutMs: 100 });
    await expect(call).rejects.toMatchObject({ code: -32042 });
    expect(calls(server)).toHaveLength(2);
  });

  test("whoever knows that it was visited need not wait", async () => {
    const got: unknown[] = [];
    const server = refusing(1, {
      elicitUrl: async (_, { completed }) => {
        got.push(completed instanceof Promise);
        return { action: "accept", done: true };
      },
    });
    await using client = await connect(server.options);
    const { result } = await client.callTool("one", {}, { timeoutMs: 60_000 });
    expect(result).toMatchObject(text("done"));
    expect(got).toEqual([true, true]);
  });

  test("without consent the error stands; nobody there to ask: the same", async () => {
    for (const answers of [{ elicitUrl: async () => ({ action: "cancel" }) }, {}]) {
      const server = refusing(1, answers);
      await using client = await connect(server.options);
      await expect(client.callTool("one", {})).rejects.toMatchObject({ code: -32042 });
      expect(calls(server)).toHaveLength(1);
    }
  });

  test("Ctrl-C ends the wait", async () => {
    const abort = new AbortController();
    const server = refusing(1, {
      elicitUrl: async () => {
        setTimeout(() => abort.abort(), 20);
        return { action: "accept" };
      },
    });
    await using client = await connect(server.options);
    const call = client.callTool("one", {}, { signal: abort.signal });
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
  });
});

test("modern URLs: agreed to, and asked again until the server is content", async () => {
  let round = 0;
  const url = { mode: "url", url: "https://example.com/", message: "m" };
  const server = scripted(
    modernScript({
      call: () =>
        ++round < 4
          ? {
              resultType: "input_required",
              inputRequests: { q: { method: "elicitation/create", params: url } },
            }
          : { resultType: "complete", ...text("done") },
    }),
    { answers: { elicitUrl: accept } },
  );
  await using client = await connect(server.options);
  expect((await client.callTool("one", {})).result).toMatchObject(text("done"));
  const answers = server.received.flatMap(({ params }) => params.inputResponses ?? []);
  expect(answers).toEqual(Array.from({ length: 3 }, () => ({ q: { action: "accept" } })));
});

test("parallel flows are kept apart", async () => {
  const server = scripted(
    modernScript({
      call: ({ params }) => {
        const name = params["arguments"]["name"];
        const { inputResponses, requestState } = params;
        if (inputResponses === undefined)
          return {
            resultType: "input_required",
            requestState: `state of ${name}`,
            inputRequests: {
              q: {
                method: "elicitation/create",
                params: { ...form({ v: { type: "string" } }), message: name },
              },
            },
          };
        return {
          resultType: "complete",
          ...text(`${name}: ${requestState}, ${inputResponses.q.content.v}`),
        };
      },
    }),
    {
      answers: {
        elicit: async ({ message }) => {
          await Bun.sleep(message === "a" ? 30 : 1);
          return { action: "accept", content: { v: `answer of ${String(message)}` } };
        },
      },
    },
  );
  await using client = await connect(server.options);
  const names = ["a", "b", "c"];
  const results = await Promise.all(names.map((name) => client.callTool("one", { name })));
  expect(results.map(({ result }) => result)).toMatchObject(
    names.map((name) => text(`${name}: state of ${name}, answer of ${name}`)),
  );
});
