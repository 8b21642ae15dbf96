/** Bytes of a server's stdout: lines that are no message, and what is told of them. */
import { expect, test } from "bun:test";

import { brief, frame, reply } from "./framing-kit.ts";

test("other lines are noise, between and after messages", () => {
  const noise = [
    "Server v1.0",
    "[db] connected",
    "42",
    '"x"',
    "{}",
    "[]",
    "--- start ---",
    "[[{}]]",
    "1: x",
    "{oops}",
    "null",
    "[INFO starting",
  ];
  const input = [reply(1), ...noise.flatMap((line, index) => [line, reply(index + 2)])].join("\n");
  expect(brief(frame(input))).toEqual([1, ...noise.flatMap((line, index) => [line, index + 2])]);
});

test("a long line of noise is clipped", () => {
  const [noise] = frame("x".repeat(5000));
  expect(noise).toEqual({ noise: `${"x".repeat(200)}…`, reason: "not JSON", lines: 1 });
});

test("a message that is no JSON is told with its id, so that its request need not wait", () => {
  const lines = [
    '{"jsonrpc":"2.0","id":5,"result":{"x":NaN}}',
    '{"result":{"x":"raw\u0001"},"jsonrpc":"2.0","id":"a"}',
    '{"jsonrpc":"2.0","id":6,"result":{"text":"cut',
    '{"id":7,"x":NaN}',
    '{"jsonrpc":"2.0","id":"cut","result":[',
    reply(8),
  ];
  expect(brief(frame(`${lines.join("\n")}\n`))).toEqual([
    { oversize: 5 },
    { oversize: "a" },
    { oversize: 6 },
    lines[3],
    { oversize: "cut" },
    8,
  ]);
});

test("why it is none is said, as far as the parser knows", () => {
  const [framed] = frame('{"jsonrpc":"2.0","id":5,"result":{"x":NaN}}\n');
  expect(framed).toMatchObject({
    oversize: { id: 5, reason: 'is not valid JSON: Unexpected identifier "NaN"' },
  });
});

test("a message that was cut by the end of the process is noise: how that ended says more", () => {
  for (const text of [
    '{"jsonrpc":"2.0","id":6,"result":{"text":"cut',
    '{"jsonrpc":"2.0","id":6,"result":[',
  ])
    expect(frame(text)).toMatchObject([{ noise: text, lines: 1 }]);
});
