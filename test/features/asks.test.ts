/** Servers that ask back, over every transport and era: forms, URLs, models, roots, and what nobody answers. */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import type { Answers } from "../../lib/client/answer-types.ts";
import { openWay, ways } from "./ways.ts";

/** Answers, and keeps what was asked. */
function answering(): { answers: Answers; asked: JsonObject[] } {
  const asked: JsonObject[] = [];
  return {
    asked,
    answers: {
      elicit: async (params) => {
        asked.push(params);
        return { action: "accept", content: { name: `Ada ${asked.length}` } };
      },
      elicitUrl: async (params) => {
        asked.push(params);
        return { action: "accept" };
      },
      sample: async (params) => {
        asked.push(params);
        return { role: "assistant", content: { type: "text", text: "hello" }, model: "fixture" };
      },
      roots: async () => [{ uri: "file:///srv/data", name: "data" }],
    },
  };
}

describe.each(ways)("$name", (way) => {
  test("a form, filled in with its defaults", async () => {
    const { answers, asked } = answering();
    await using on = await openWay(way, { answers });
    expect(JSON.parse(await on.say("ask", { message: "For whom?" }))).toEqual({
      action: "accept",
      content: { name: "Ada 1", size: "small", count: 1, gift: false },
    });
    expect(asked).toMatchObject([{ message: "For whom?" }]);
  });

  test("a form that is declined", async () => {
    await using on = await openWay(way, {
      answers: { elicit: async () => ({ action: "decline" }) },
    });
    expect(JSON.parse(await on.say("ask"))).toEqual({ action: "decline" });
  });

  test("two forms in turn, and two calls that ask at once", async () => {
    await using on = await openWay(way, { answers: answering().answers });
    const twice = JSON.parse(await on.say("ask_twice")) as JsonObject[];
    expect(twice.map(({ action }) => action)).toEqual(["accept", "accept"]);
    const both = await Promise.all([on.say("ask"), on.say("ask")]);
    const names = both.map(
      (one) => (JSON.parse(one) as { content: { name: string } }).content.name,
    );
    expect(names.toSorted()).toEqual(["Ada 3", "Ada 4"]);
  });

  test("a URL to visit", async () => {
    const { answers, asked } = answering();
    await using on = await openWay(way, { answers });
    expect(JSON.parse(await on.say("ask_url"))).toEqual({ action: "accept" });
    expect(asked).toMatchObject([{ mode: "url", url: "https://example.com/sign-in?state=1" }]);
  });

  test("the message of a model", async () => {
    const { answers, asked } = answering();
    await using on = await openWay(way, { answers });
    expect(JSON.parse(await on.say("sample", { prompt: "Hi?" }))).toMatchObject({
      role: "assistant",
      content: { text: "hello" },
      model: "fixture",
    });
    expect(asked).toMatchObject([{ maxTokens: 10 }]);
  });

  test("roots", async () => {
    await using on = await openWay(way, { answers: answering().answers });
    expect(JSON.parse(await on.say("roots"))).toEqual({
      roots: [{ uri: "file:///srv/data", name: "data" }],
    });
  });

  test("resources and prompts that ask", async () => {
    await using on = await openWay(way, { answers: answering().answers });
    const read = await on.host.read({ uri: "asks://name" });
    expect(JSON.stringify(read.result)).toContain("Ada 1");
    const prompt = await on.host.prompt({ prompt: "asks" });
    expect(JSON.stringify(prompt.result)).toContain("Ada 2");
  });

  test("what nobody answers is not declared, and the call fails clearly", async () => {
    await using on = await openWay(way);
    for (const tool of ["ask", "sample", "roots"])
      expect(await on.host.call({ tool })).toMatchObject({
        status: "failed",
        error: { code: "rpc_error" },
      });
    expect(await on.say("echo", { text: "goes on" })).toBe("goes on");
  });
});
