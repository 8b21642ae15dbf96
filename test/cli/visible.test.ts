import { expect, test } from "bun:test";

import { visible } from "../../lib/cli/visible.ts";

const rows: [name: string, text: string, shown: string][] = [
  ["plain text", "añ 日本 🙂", "añ 日本 🙂"],
  ["newline and tab", "a\n\tb", "a\n\tb"],
  ["CR before LF ends a line", "a\r\nb", "a\r\nb"],
  ["a lone CR overwrites", "good\rbad", "good\\u000dbad"],
  ["escape sequence", "\u001b[31mred\u001b]0;title\u0007", "\\u001b[31mred\\u001b]0;title\\u0007"],
  ["NUL, backspace, DEL", "\0\b\u007f", "\\u0000\\u0008\\u007f"],
  ["C1", "\u0085\u009b31m", "\\u0085\\u009b31m"],
  ["bidi", "\u202egnp\u202c\u2066x\u2069\u200f", "\\u202egnp\\u202c\\u2066x\\u2069\\u200f"],
  ["line ends that are none of a terminal", "a\u2028b\u2029", "a\\u2028b\\u2029"],
  ["zero width", "del\u200bete\u2060\ufeff\u3164", "del\\u200bete\\u2060\\ufeff\\u3164"],
  ["tags, which spell unseen", "hi\u{e0041}", "hi\\udb40\\udc41"],
  [
    "joiners and variations of what is written",
    "❤\ufe0f 👩\u200d🚀 می\u200cروم",
    "❤\ufe0f 👩\u200d🚀 می\u200cروم",
  ],
];

test.each(rows)("%s", (_, text, shown) => {
  expect(visible(text)).toBe(shown);
});

test("JSON stays JSON of the same value", () => {
  const value = { "a\u202e": "\u001b[0m\u009b\u{e0041}" };
  expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value);
});
