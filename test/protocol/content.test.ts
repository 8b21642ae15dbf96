/** Content blocks of a result: nothing is lost. */
import { expect, test } from "bun:test";

import { readContent } from "../../lib/protocol/content.ts";

const none = undefined;

test("known blocks are read", () => {
  expect(
    readContent({
      content: [
        { type: "text", text: "" },
        { type: "image", data: "QQ==", mimeType: "image/png" },
        { type: "audio", data: "%bad", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "file:///a", text: "t", mimeType: "text/plain" } },
        { type: "resource", resource: { uri: "file:///b", blob: "QQ==" } },
        { type: "resource", resource: { text: "no uri" } },
        { type: "resource_link", uri: "ui://x", name: "n", title: "t" },
      ],
    }),
  ).toEqual([
    { kind: "text", text: "" },
    { kind: "image", base64: "QQ==", mimeType: "image/png", uri: none },
    { kind: "audio", base64: "%bad", mimeType: "audio/wav", uri: none },
    { kind: "resource", text: "t", uri: "file:///a", mimeType: "text/plain" },
    { kind: "blob", base64: "QQ==", mimeType: none, uri: "file:///b" },
    { kind: "resource", text: "no uri", uri: none, mimeType: none },
    { kind: "link", uri: "ui://x", name: "n", title: "t", mimeType: none },
  ]);
});

test("a data: URL gives up its prefix", () => {
  expect(readContent({ content: [{ type: "image", data: "data:image/gif;base64,R0lG" }] })).toEqual(
    [{ kind: "image", base64: "R0lG", mimeType: "image/gif", uri: none }],
  );
});

test("odd blocks are kept as they came", () => {
  const content = [
    { type: "json", json: { a: 1 } },
    { type: "text" },
    { type: "text", text: null },
    { text: "no type" },
    { type: "image" },
    { type: "resource" },
    { type: "resource", resource: { uri: "x" } },
    { type: "resource_link" },
    null,
    "str",
    [1],
  ];
  expect(readContent({ content })).toEqual(
    content.map((value) => ({ kind: "unknown" as const, value })),
  );
});

test("content that is no list", () => {
  expect(readContent({})).toEqual([]);
  expect(readContent({ content: null })).toEqual([]);
  expect(readContent({ content: [] })).toEqual([]);
  expect(readContent({ content: "text" })).toEqual([{ kind: "unknown", value: "text" }]);
  expect(readContent({ content: { type: "text", text: "t" } })).toEqual([
    { kind: "text", text: "t" },
  ]);
});
