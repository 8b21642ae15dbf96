/** Bytes of a server's stdout: too long a line is told with its id, and the next message is there. */
import { describe, expect, test } from "bun:test";

import { brief, frame, reply } from "./framing-kit.ts";

const over = (text: string) =>
  frame(`${text}\n${reply(9)}\n`, { lineBytesMax: 10_000, chunk: 3000 });

describe("too long a line", () => {
  const long = "x".repeat(20_000);

  test.each([
    [`{"jsonrpc":"2.0","id":5,"result":{"t":"${long}"}}`, 5],
    [`{"result":{"id":7,"t":"${long}"},"jsonrpc":"2.0","id":"a"}`, "a"],
    [`{"result":{"t":"${long}"},"id":6,"jsonrpc":"2.0"}`, 6],
    [`{"result":{"t":"${long}","id":6}}`, null],
  ])(
    "is told with its id where it can be made out, and the next message is there: %#",
    (text, id) => {
      const framed = over(text);
      expect(brief(framed)).toEqual([{ oversize: id }, 9]);
      expect(framed[0]).toEqual({
        oversize: { bytes: text.length, bytesMax: 10_000, ...(id !== null && { id }) },
      });
    },
  );

  test("that is a call is told as one", () => {
    expect(over(`{"jsonrpc":"2.0","id":5,"method":"m","params":"${long}"}`)[0]).toMatchObject({
      oversize: { call: true },
    });
  });

  test("of noise is noise", () => {
    expect(over(long)).toMatchObject([{ reason: "a line of 20000 bytes" }, { message: { id: 9 } }]);
  });
});
