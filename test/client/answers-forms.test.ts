/** Forms that servers ask for, in both eras: what is handed on, checked, filled in and sent. */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { connect } from "../../lib/client/client.ts";
import { asking, form } from "./answers-kit.ts";
import { modernScript, scripted, text } from "./kit.ts";

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
