/** Results of servers that are not quite in order, as strict clients of the gateway get them: whole, in words where need be. */
import { expect, test } from "bun:test";

import { knowledgeOf } from "../../lib/protocol/revisions.ts";
import type { Knowledge } from "../../lib/protocol/revisions.ts";
import { resultText } from "../../lib/serve/gateway-results.ts";
import { strictResult } from "../../lib/serve/gateway-strict-results.ts";
import type { Shape } from "../../lib/serve/gateway-strict-results.ts";

const text = (words: string) => ({ type: "text", text: words });
const json = (value: unknown) => text(JSON.stringify(value));
const right = (result: object, shape: Shape = "tool") =>
  strictResult(result as never, shape) as any;

test("what is in order is the same object, and goes on byte for byte", () => {
  const results: [Shape, object][] = [
    [
      "tool",
      {
        content: [
          { ...text("a"), annotations: { audience: ["user"], priority: 0.5 }, later: null },
          { type: "image", data: "aGk=", mimeType: "image/png" },
          { type: "resource", resource: { uri: "x://1", text: "" } },
          { type: "resource", resource: { uri: "x://1", blob: "aGk=", mimeType: "a/b" } },
          { type: "resource_link", uri: "x://1", name: "one", size: 5 },
        ],
        structuredContent: { a: null },
        isError: false,
        unknown: null,
      },
    ],
    ["tool", { content: [], resultType: "complete" }],
    ["tool", { resultType: "task", taskId: "1" }],
    ["tool", { task: { taskId: "1" } }],
    ["prompt", { messages: [{ role: "assistant", content: text("a") }] }],
    ["read", { contents: [{ uri: "x://1", text: "a" }] }],
  ];
  for (const [shape, result] of results) expect(right(result, shape)).toBe(result);
  const raw = '{ "content": [{"type":"text","text":"1.0"}], "structuredContent": {"n": 1.0} }';
  const { era: _, ...knows } = knowledgeOf("2025-11-25") as Knowledge;
  const whole = { result: JSON.parse(raw), raw };
  expect(resultText(whole, { ...knows, era: "legacy" }, { shape: "tool" })).toBe(raw);
});

test.each<[unknown, object]>([
  [{ type: "json", json: { a: 1 } }, json({ type: "json", json: { a: 1 } })],
  [{ text: "no type" }, text("no type")],
  [{ type: "text" }, text("")],
  [{ type: "text", text: null }, text("")],
  [{ type: "text", text: 5 }, text("5")],
  [null, text("null")],
  ["str", text("str")],
  [{ ...text("a"), annotations: null, _meta: null }, text("a")],
  [
    { ...text("a"), annotations: { audience: "user" } },
    { ...text("a"), annotations: {} },
  ],
  [
    { type: "image", data: "data:image/gif;base64,aGk=" },
    { type: "image", data: "aGk=", mimeType: "image/gif" },
  ],
  [
    { type: "audio", data: "aGk=" },
    { type: "audio", data: "aGk=", mimeType: "application/octet-stream" },
  ],
  [{ type: "image", data: "!!!" }, json({ type: "image", data: "!!!" })],
  [
    { type: "resource", resource: { text: "a" } },
    json({ type: "resource", resource: { text: "a" } }),
  ],
  [
    { type: "resource", resource: { uri: "x://1", text: null, blob: "aGk=" } },
    { type: "resource", resource: { uri: "x://1", blob: "aGk=" } },
  ],
  [
    { type: "resource_link", uri: "x://1", size: null },
    { type: "resource_link", uri: "x://1", name: "x://1" },
  ],
])("a block %j", (block, expected) => {
  expect(right({ content: [text("before"), block, text("behind")] })).toEqual({
    content: [text("before"), expected, text("behind")],
  });
  expect(right({ content: block ?? [block] }).content).toEqual([expected]);
});

test.each<[object, object]>([
  [{ content: null }, { content: [] }],
  [{}, { content: [] }],
  [{ structuredContent: { a: 1 } }, { structuredContent: { a: 1 }, content: [json({ a: 1 })] }],
  [
    { content: [], isError: "true", _meta: [] },
    { content: [], isError: true },
  ],
  [{ content: [], isError: null, _meta: null }, { content: [] }],
])("a result %j", (result, expected) => {
  expect(right(result)).toEqual(expected);
});

test("what an older revision cannot carry is told in words, where there are none", () => {
  const result = { content: [], structuredContent: [1.5, 12345678901] };
  const raw = '{"content":[],"structuredContent":[1.50,12345678901234567890]}';
  for (const revision of ["2024-11-05", "2025-06-18"]) {
    const knows = knowledgeOf(revision) as Knowledge;
    expect(JSON.parse(resultText({ result, raw }, knows, { shape: "tool" }))).toEqual({
      content: [text("[1.5,12345678901234567890]")],
    });
  }
});

test("a flag that was none is one to the client as it was to us", () => {
  const knows = knowledgeOf("2025-06-18") as Knowledge;
  const result = { content: [], isError: true };
  const told = resultText({ result, raw: '{"content":[],"isError":"true"}' }, knows, {
    shape: "tool",
  });
  expect(JSON.parse(told)).toEqual(result);
});

test("messages and contents", () => {
  const messages = [
    { role: "system", content: "a" },
    null,
    { role: "user" },
    { role: "user", content: [text("b"), "c"] },
  ];
  expect(right({ messages, description: null }, "prompt")).toEqual({
    messages: ["a", "b", "c"].map((words) => ({ role: "user", content: text(words) })),
  });
  const contents = [{ uri: "x://1", text: 5 }, { text: "nobody's" }, { uri: "x://1", blob: null }];
  expect(right({ contents }, "read")).toEqual({ contents: [{ uri: "x://1", text: "5" }] });
  for (const [shape, key] of [
    ["prompt", "messages"],
    ["read", "contents"],
  ] as const)
    expect(right({ [key]: null }, shape)).toEqual({ [key]: [] });
});
