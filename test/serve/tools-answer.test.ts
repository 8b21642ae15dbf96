/** What whoever reads the text of a result alone gets of one that is not, or not only, text. */
import { expect, test } from "bun:test";

import type { Outcome } from "../../lib/hooks/call.ts";
import { answerText } from "../../lib/serve/tools-answer.ts";

function told(result: object): string {
  const raw = JSON.stringify(result);
  const outcome = { status: "completed", result, raw } as unknown as Outcome;
  return JSON.parse(answerText(outcome, "id", (text) => text)).plain_text_response;
}

const text = (words: unknown) => ({ type: "text", text: words });
const image = { type: "image", data: "aGkh", mimeType: "image/png" };

test.each<[string, object, string]>([
  ["text", { content: [text("a"), text("b")] }, "a\nb"],
  ["text beside a picture", { content: [text("a"), image] }, "a"],
  ["a picture alone", { content: [image] }, "[image image/png, 3 bytes]"],
  ["sound of no type", { content: [{ type: "audio", data: "aA==" }] }, "[audio, 1 bytes]"],
  [
    "data",
    { content: [{ type: "resource", resource: { uri: "x://1", blob: "aGk=" } }] },
    "[data, 2 bytes]",
  ],
  ["a picture with its meaning", { content: [image], structuredContent: { a: 1 } }, '{"a":1}'],
  [
    "a kind that nobody knows",
    { content: [text("a"), { type: "json", n: 1 }] },
    'a\n{"type":"json","n":1}',
  ],
  [
    "texts that are none",
    { content: [text(5), text(null), { type: "text" }, "b"] },
    '{"type":"text","text":5}\nb',
  ],
  ["content that is a text", { content: "a" }, "a"],
  ["a result of the first days", { toolResult: { a: 1 } }, '{"a":1}'],
  ["nothing", { content: null }, ""],
])("%s", (_name, result, expected) => {
  expect(told(result)).toBe(expected);
});
