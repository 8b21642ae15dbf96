/** What is declared to servers, by revision. */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import type { Answers } from "../../lib/client/answer-types.ts";
import { capabilitiesOf } from "../../lib/client/declared.ts";
import { accept } from "./answers-kit.ts";

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
