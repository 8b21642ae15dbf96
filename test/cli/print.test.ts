/** What is printed of a result: each kind of block, errors, and what nobody knows. */
import { describe, expect, test } from "bun:test";

import { renderResult } from "../../lib/cli/render.ts";
import { parse, print } from "./print-kit.ts";

describe("what is printed", () => {
  test.each<[name: string, raw: string, stdout: string]>([
    ["text", '{"content":[{"type":"text","text":"hi"}]}', "hi\n"],
    ["text that ends in a newline", '{"content":[{"type":"text","text":"hi\\n"}]}', "hi\n"],
    [
      "two texts",
      '{"content":[{"type":"text","text":"a"},{"type":"text","text":"b\\n"}]}',
      "a\nb\n",
    ],
    ["no content", '{"content":[]}', ""],
    ["nothing at all", "{}", ""],
    ["an empty text", '{"content":[{"type":"text","text":""}]}', ""],
    [
      "an embedded text",
      '{"content":[{"type":"resource","resource":{"uri":"x:y","text":"T"}}]}',
      "T\n",
    ],
    [
      "an embedded text without URI",
      '{"content":[{"type":"resource","resource":{"text":"T"}}]}',
      "T\n",
    ],
    ["a link", '{"content":[{"type":"resource_link","uri":"ui://x","name":"n"}]}', "ui://x\n"],
    [
      "text wins over data",
      '{"content":[{"type":"text","text":"a"}],"structuredContent":{"b":1}}',
      "a\n",
    ],
    ["data alone", '{"content":[],"structuredContent":{"b": [1, 2]}}', '{"b": [1, 2]}\n'],
    [
      "data beside an empty text",
      '{"content":[{"type":"text","text":""}],"structuredContent":1}',
      "1\n",
    ],
    ["data without content", '{"structuredContent":[1]}', "[1]\n"],
    ["false", '{"content":[],"structuredContent":false}', "false\n"],
    ["null", '{"content":[],"structuredContent":null}', "null\n"],
    ["zero", '{"structuredContent":0}', "0\n"],
    [
      "exact digits",
      '{"structuredContent":{"n":12345678901234567890,"f":1.0}}',
      '{"n":12345678901234567890,"f":1.0}\n',
    ],
  ])("%s", async (_, raw, stdout) => {
    expect(await print(raw)).toEqual({ stdout, stderr: "" });
  });

  test("unknown blocks are printed as JSON, with a note", async () => {
    const raw =
      '{"content":[{"type":"json","json":{"a":12345678901234567890}},{"type":"text"},{"text":"no type"},null,"str",{"type":"text","text":"ok"}]}';
    const { stdout, stderr } = await print(raw);
    expect(stdout).toBe(
      '{"type":"json","json":{"a":12345678901234567890}}\n{"type":"text"}\n{"text":"no type"}\nnull\n"str"\nok\n',
    );
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect((await print(raw, { quiet: true })).stderr).toBe("");
  });

  test("content that is no list, and a result of an old kind, are not lost", async () => {
    expect((await print('{"content":"odd"}')).stdout).toBe('"odd"\n');
    expect((await print('{"toolResult":{"a":1}}')).stdout).toBe('{"toolResult":{"a":1}}\n');
  });

  test("isError: the text on stderr, stdout empty", async () => {
    expect(await print('{"content":[{"type":"text","text":"no"}],"isError":true}')).toEqual({
      stdout: "",
      stderr: "no\n",
    });
    expect((await print('{"isError":true,"structuredContent":{"error":"x"}}')).stderr).toBe(
      '{"error":"x"}\n',
    );
    expect((await print('{"isError":true,"content":[]}')).stderr).toMatch(/answered with an error/);
  });

  test("--json: the bytes of the result as they came, also with isError", async () => {
    const raw = '{"isError":true, "n":1.0,"content":[{"type":"text","text":"\\u00e9"}]}';
    expect(await print(raw, { json: true })).toEqual({ stdout: `${raw}\n`, stderr: "" });
  });

  test("control characters are exact in a pipe and visible on a terminal", async () => {
    const raw = '{"content":[{"type":"text","text":"\\u001b[31m\\u0000"}]}';
    expect((await print(raw)).stdout).toBe("\u001b[31m\0\n");
    expect((await print(raw, { terminal: true })).stdout).toBe("\\u001b[31m\\u0000\n");
  });
});

test("a long list of blocks renders in a moment", () => {
  const content = Array.from({ length: 20_000 }, () => ({ type: "text", text: "x" }));
  const raw = JSON.stringify({ content });
  expect(renderResult({ result: parse(raw), raw }).text).toHaveLength(40_000);
});
