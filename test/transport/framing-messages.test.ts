/** Bytes of a server's stdout: messages with their exact text, whatever stands around them on their lines. */
import { expect, test } from "bun:test";

import { brief, frame, reply } from "./framing-kit.ts";

test("an answer behind other text on its line is told apart from one that stands alone", () => {
  const typescript = '{"result":{"result":1},"jsonrpc":"2.0","id":1}';
  for (const answer of [
    reply(1),
    typescript,
    '{"id":1,"jsonrpc":"2.0","error":{"code":1,"message":"x"}}',
  ])
    expect(frame(`[log] calling ${answer}\n`)).toEqual([
      { noise: `[log] calling ${answer}`, reason: "not JSON", lines: 1 },
      { message: JSON.parse(answer), text: answer, behindNoise: true },
    ]);
});

test.each([
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","method":"notifications/message"}',
  '{"id":1,"result":{}}',
  '{"jsonrpc":"2.0","id":1,"result":{}} was sent',
  '{"jsonrpc":"2.0","id":1,"result":{}',
])("what only may be one behind other text is noise: %s", (text) => {
  expect(frame(`log: ${text}\n`)).toMatchObject([{ noise: `log: ${text}` }]);
});

test("messages come with their exact text", () => {
  const one = '{"jsonrpc":"2.0","id":1,"result":{"big":12345678901234567890, "u":"\\u00e9é😀"}}';
  expect(frame(`${one}\r\n\n  ${reply(2)} \n${reply(3)}`)).toEqual([
    { message: JSON.parse(one), text: one },
    { message: JSON.parse(reply(2)), text: reply(2) },
    { message: JSON.parse(reply(3)), text: reply(3) },
  ]);
});

test("a BOM, CRLF and blank lines are no noise", () => {
  expect(brief(frame(`\uFEFF${reply(1)}\r\n\r\n\n \t\n${reply(2)}\r\n`))).toEqual([1, 2]);
});

test.each([
  ["colours", (text: string) => `\u001B[32m${text}\u001B[0m`],
  ["a title", (text: string) => `\u001B]0;server: ready\u0007${text}`],
  [
    "what a terminal of iTerm is told",
    (text: string) => `\u001B]1337;RemoteHost=a@b\u001B\\${text}`,
  ],
  ["the cursor", (text: string) => `\u001B[?25l\u001B[2K\u001B[1G${text}\u001B[?25h`],
])("a message with %s around it is one, and no noise", (_, around) => {
  expect(frame(`${around(reply(1))}\n${around(reply(2))}\n`)).toEqual([
    { message: JSON.parse(reply(1)), text: reply(1) },
    { message: JSON.parse(reply(2)), text: reply(2) },
  ]);
});

test("coloured JSON over several lines is taken, and a coloured log line is noise without its colours", () => {
  const lines = JSON.stringify(JSON.parse(reply(1)), undefined, 2).split("\n");
  const coloured = lines.map((line) => `\u001B[1;39m${line}\u001B[0m\n`).join("");
  expect(brief(frame(`${coloured}\u001B[33m[warn]\u001B[0m late\n`))).toEqual([1, "[warn] late"]);
  expect(brief(frame("\u001B[2J\n"))).toEqual(["\u001B[2J"]);
});

test("batches give their elements; empty and nested ones are noise", () => {
  const batch = `[${reply(1)}, {"jsonrpc":"2.0","id":7,"result":12345678901234567890}, {"jsonrpc":"2.0","method":"n"},5]`;
  const framed = frame(`${batch}\n[]\n[[${reply(2)}]]\n${reply(3)}`);
  expect(brief(framed)).toEqual([1, 7, "n", batch, "[]", `[[${reply(2)}]]`, 3]);
  expect(framed[0]).toMatchObject({ text: reply(1) });
  expect(framed[1]).toMatchObject({
    text: '{"jsonrpc":"2.0","id":7,"result":12345678901234567890}',
  });
});

test("what is odd about a message is said with it", () => {
  expect(frame('{"id":1,"result":{}}')).toMatchObject([
    { message: { id: 1 }, odd: "no jsonrpc member" },
  ]);
});
