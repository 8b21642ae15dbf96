/** Bytes of a server's stdout: other encodings, deep nesting, cuts anywhere and any bytes at all harm nothing. */
import { expect, test } from "bun:test";

import * as fc from "fast-check";

import type { Framed } from "../../lib/transport/framed.ts";
import { Framing } from "../../lib/transport/framing.ts";
import { brief, encoder, frame, reply } from "./framing-kit.ts";

const utf16 = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));

test("UTF-16 is called so, and shown without its NULs", () => {
  const reason = "UTF-16, where UTF-8 belongs";
  expect(frame(utf16(`${reply(1)}\n${reply(2)}\n`)).slice(0, 2)).toMatchObject([
    { noise: reply(1), reason },
    { noise: reply(2), reason },
  ]);
  expect(frame(utf16(`\uFEFF${reply(1)}\n`))[0]).toMatchObject({ reason });
});

test("invalid UTF-8 becomes U+FFFD and harms nothing", () => {
  const [head, tail] = ['{"jsonrpc":"2.0","id":1,"result":"', '"}\n'].map((text) =>
    encoder.encode(text),
  );
  const bytes = new Uint8Array([
    ...head!,
    0xff,
    0xc3,
    0xed,
    0xa0,
    0x80,
    ...tail!,
    0xff,
    0xfe,
    10,
    ...encoder.encode(reply(2)),
  ]);
  const framed = frame(bytes, { chunk: 1 });
  expect(framed[0]).toMatchObject({ message: { id: 1 } });
  expect(framed[1]).toMatchObject({ noise: "\uFFFD\uFFFD" });
  expect(framed[2]).toMatchObject({ message: { id: 2 } });
});

/** What is framed of this text and of the message behind it. */
const next = (text: string) => brief(frame(`${text}\n${reply(2)}\n`));

test.each([[10_000], [100_000]])(
  "%i levels of JSON harm nothing, and the next message is there",
  (levels) => {
    const open = "[".repeat(levels);
    const deep = open + "]".repeat(levels);
    expect(next(`{"jsonrpc":"2.0","id":1,"result":${deep}}`)).toEqual([1, 2]);
    expect(next(`{"jsonrpc":"2.0","id":1,"result":${open}`)).toEqual([{ oversize: 1 }, 2]);
    expect(next(`[${reply(1)},${deep}]`).at(-1)).toBe(2);
    for (const text of [deep, open, '{"a":'.repeat(levels)]) expect(next(text).at(-1)).toBe(2);
  },
);

test("how the bytes are cut makes no difference", () => {
  const piece = fc.oneof(
    fc.integer({ min: 0, max: 99 }).map((id) => `${reply(id, "é😀\u2028")}\n`),
    fc
      .integer({ min: 0, max: 99 })
      .map((id) => `${JSON.stringify(JSON.parse(reply(id, [{}, []])), null, 2)}\n`),
    fc
      .integer({ min: 0, max: 99 })
      .map((id) => `Content-Length: ${reply(id).length}\r\n\r\n${reply(id)}`),
    fc.constantFrom(
      "[db] up\n",
      "\r\n",
      "{}\n",
      "{\n",
      "\n",
      '"a": 1\n',
      `[${reply(1)}, 5]\n`,
      "x".repeat(6000),
    ),
    fc.string().map((text) => `${text}\n`),
  );
  const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 400 }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), cuts, (pieces, sizes) => {
      const bytes = encoder.encode(pieces.join(""));
      const framing = new Framing({ lineBytesMax: 5000 });
      const out: Framed[] = [];
      for (let at = 0; at < bytes.length;) {
        const size = sizes.next().value as number;
        out.push(...framing.feed(bytes.slice(at, at + size)));
        at += size;
      }
      out.push(...framing.end());
      expect(out).toEqual(frame(bytes, { lineBytesMax: 5000 }));
    }),
  );
});

test("any bytes at all harm nothing", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      (bytes) => void frame(bytes, { chunk: 7, lineBytesMax: 50 }),
    ),
  );
});
