/** Whether bytes of a server were UTF-8, where a character of a message may have been lost. */
import { expect, test } from "bun:test";

import { Characters } from "../../lib/transport/encoding.ts";
import { Framing } from "../../lib/transport/framing.ts";

const answer = (text: string) => `{"jsonrpc":"2.0","id":1,"result":{"text":"${text}"}}\n`;
const utf8 = (text: string) => new Uint8Array(Buffer.from(text));
const none = new Uint8Array();
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

const singles = singly(latin1(answer("aé")));
const singleTexts = singly(utf8(answer("é漢😀\ufffd")));

/** The verdict on each chunk of one stream. */
function verdicts(...chunks: Uint8Array[]): boolean[] {
  const framing = new Framing({ lineBytesMax: 1_000_000 });
  const characters = new Characters();
  return chunks.map((chunk) => characters.lostIn(framing.feed(chunk), chunk));
}

test.each<[string, Uint8Array[], boolean[]]>([
  ["ASCII", [utf8(answer("a"))], [false]],
  ["UTF-8", [utf8(answer("é漢😀"))], [false]],
  ["U+FFFD itself", [utf8(answer("\ufffd"))], [false]],
  ["U+FFFD, its bytes apart", cutIn(utf8(answer("\ufffd"))), [false, false]],
  ["a character whose bytes are apart", cutIn(utf8(answer("😀\ufffd"))), [false, false]],
  ["Latin-1", [latin1(answer("é"))], [true]],
  ["Latin-1, and the end of the message apart", cutAtEnd(latin1(answer("é"))), [false, true]],
  ["Latin-1 in single bytes", singles, atEnd(singles.length)],
  ["UTF-8 in single bytes", singleTexts, Array(singleTexts.length).fill(false)],
  ["Latin-1 behind what ended in the same chunk", begunWith(latin1(answer("é"))), [false, true]],
  ["Latin-1 in a log line", [latin1("é\n")], [false]],
  ["Latin-1 behind UTF-8", [utf8(answer("é")), latin1(answer("é"))], [false, true]],
  // Shift JIS has characters whose second byte is a backslash.
  ["what breaks the JSON", [latin1(answer("\x81\\"))], [true]],
  ["JSON that is broken otherwise", [utf8(answer('"'))], [false]],
])("%s", (_what, chunks, expected) => {
  expect(verdicts(...chunks)).toEqual(expected);
});

/** Before its last characters. */
function cutAtEnd(bytes: Uint8Array): Uint8Array[] {
  return [bytes.slice(0, -4), bytes.slice(-4)];
}

/** The last one of so many. */
function atEnd(count: number): boolean[] {
  return [...Array(count - 1).fill(false), true];
}

function singly(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}

/** Its last characters behind a chunk that ends another message, too. */
function begunWith(bytes: Uint8Array): Uint8Array[] {
  const [begun = none, rest = none] = cutAtEnd(bytes);
  return [Buffer.concat([utf8(answer("a")), begun]), rest];
}

/** In the midst of its first character of several bytes. */
function cutIn(bytes: Uint8Array): Uint8Array[] {
  const at = bytes.findIndex((byte) => (byte & 0xc0) === 0x80);
  return [bytes.slice(0, at), bytes.slice(at)];
}
