/** Bytes of a server's stdout: a message without a newline is taken where it is whole. */
import { describe, expect, test } from "bun:test";

import { Framing } from "../../lib/transport/framing.ts";
import { brief, encoder, log, reply } from "./framing-kit.ts";

function unended(text: string) {
  const framing = new Framing({ lineBytesMax: 1000 });
  return { framing, out: brief(framing.feed(encoder.encode(text))) };
}

describe("a message without a newline", () => {
  test.each([reply(1), `${reply(1)}\r`, `${reply(1)}\0`, `${reply(1)}${log}`])(
    "is taken where it is whole: %j",
    (text) => {
      const { framing, out } = unended(text);
      expect(out).toEqual([]);
      expect(framing.mayBeWhole).toBe(true);
      expect(brief(framing.early())[0]).toBe(1);
      expect(framing.mayBeWhole).toBe(false);
      expect(brief(framing.feed(encoder.encode(`${reply(2)}\n`)))).toEqual([2]);
    },
  );

  test("waits where it is not, and is looked at once", () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"a":{}';
    const { framing } = unended(text);
    expect(framing.mayBeWhole).toBe(true);
    expect(framing.early()).toEqual([]);
    expect(framing.mayBeWhole).toBe(false);
    expect(brief(framing.feed(encoder.encode("}}")))).toEqual([]);
    expect(brief(framing.early())).toEqual([1]);
  });

  test.each(["{}", '{"a":1}', "x}", `{"a":1}${reply(1)}`, `${reply(1)}{"id":2}`])(
    "is one, and nothing else: %j",
    (text) => {
      const { framing } = unended(text);
      expect(framing.early()).toEqual([]);
      expect(brief(framing.feed(encoder.encode("\n"))).length).toBeGreaterThan(0);
    },
  );

  test("nor does the middle of a printed value count, or a body of known length", () => {
    expect(unended('{\n"a": {"jsonrpc":"2.0","id":1,"result":{}}').framing.mayBeWhole).toBe(false);
    expect(unended("Content-Length: 50\r\n\r\n{}").framing.mayBeWhole).toBe(false);
  });
});
