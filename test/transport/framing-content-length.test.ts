/** Bytes of a server's stdout: Content-Length headers as of other protocols, and bodies taken by them. */
import { describe, expect, test } from "bun:test";

import { Framing } from "../../lib/transport/framing.ts";
import { brief, encoder, frame, reply } from "./framing-kit.ts";

const withHeader = (body: string, newline = "") =>
  `Content-Length: ${encoder.encode(body).length}\r\n\r\n${body}${newline}`;

describe("Content-Length headers", () => {
  test("are noise, and the body is taken by its length", () => {
    const input =
      withHeader(reply(1, "é")) +
      withHeader(reply(2)) +
      withHeader(reply(3), "\n") +
      withHeader(reply(4));
    for (const chunk of [1, 7, 1000]) {
      const out = frame(input, { chunk });
      expect(out.filter((item) => "message" in item).map((item) => brief([item])[0])).toEqual([
        1, 2, 3, 4,
      ]);
      const noise = out.filter((item) => "noise" in item);
      expect(noise).toHaveLength(4);
      expect(noise[0]).toMatchObject({ contentLength: true });
    }
  });

  test("do not wait for a newline behind the body", () => {
    const framing = new Framing({ lineBytesMax: 1000 });
    expect(brief(framing.feed(encoder.encode(withHeader(reply(1))))).at(-1)).toBe(1);
  });

  test("may come with others, and with a body over several lines", () => {
    const body = JSON.stringify(JSON.parse(reply(1, { a: 1 })), null, 2);
    const input = `content-length: ${body.length}\nContent-Type: application/json\n\n${body}`;
    const last = frame(input).at(-1);
    expect(last).toMatchObject({ message: { id: 1 } });
    expect((last as { text: string }).text).not.toContain("\n");
  });

  test("in the log of a server that writes lines take nothing away", () => {
    expect(brief(frame(`${reply(1)}\nContent-Length: 5000\n\n${reply(2)}\n${reply(3)}\n`))).toEqual(
      [1, "Content-Length: 5000", 2, 3],
    );
  });
});
