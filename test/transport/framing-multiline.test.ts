/** Bytes of a server's stdout: JSON that is printed over several lines is put together, within bounds. */
import { describe, expect, test } from "bun:test";

import type { Framed } from "../../lib/transport/framed.ts";
import { Framing } from "../../lib/transport/framing.ts";
import { brief, encoder, frame, reply } from "./framing-kit.ts";

describe("JSON over several lines", () => {
  const pretty = JSON.stringify(
    { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: 'a "}{" b' }], n: [] } },
    null,
    2,
  );

  test("is put together, its text on one line", () => {
    const [framed, ...rest] = frame(`${pretty}\n${reply(2)}\n`);
    if (framed === undefined || !("text" in framed)) throw new Error("no message");
    expect(JSON.parse(framed.text)).toEqual(JSON.parse(pretty));
    expect(framed.text).not.toContain("\n");
    expect(brief(rest)).toEqual([2]);
  });

  test("with CRLF, tabs, a batch, and without a last newline", () => {
    const batch = JSON.stringify([JSON.parse(reply(3)), JSON.parse(reply(4))], null, "\t");
    expect(brief(frame(`${pretty.replaceAll("\n", "\r\n")}\r\n${batch}`))).toEqual([1, 3, 4]);
  });

  test("does not swallow messages and log lines in between", () => {
    const lines = pretty.split("\n");
    lines.splice(3, 0, reply(2), "[log] in between", "");
    expect(brief(frame(lines.join("\n")))).toEqual([2, "[log] in between", 1]);
  });

  test("that never ends is noise, and costs no message behind it", () => {
    expect(brief(frame(`{\n  "a": [\n${reply(1)}\n${pretty}\n${reply(2)}`))).toEqual([
      1,
      "{",
      1,
      2,
    ]);
    expect(frame('{\n"a": 1,\n')).toEqual([{ noise: "{", reason: "unfinished JSON", lines: 2 }]);
  });

  test("that is no message is noise", () => {
    expect(frame('{\n"a": 1\n}\n')).toEqual([
      { noise: "{", reason: "not a JSON-RPC message", lines: 3 },
    ]);
  });

  test("is bounded", () => {
    const long = `{\n${'"a": 1,\n'.repeat(100)}`;
    const framed = frame(`${long}${reply(1)}\n`, { lineBytesMax: 200 });
    expect(brief(framed)).toContain(1);
    expect(framed[0]).toMatchObject({ noise: "{", reason: "JSON without an end" });
  });

  test.each([
    ["lines", "1,\n", 100_001],
    ["length", `"${"x".repeat(99_997)}",\n`, 43],
  ])("is given up early by its %s, however long a line may be", (_, line, lines) => {
    const framing = new Framing({ lineBytesMax: 64 * 1024 * 1024 });
    framing.feed(encoder.encode("[\n"));
    const chunk = encoder.encode(line.repeat(Math.ceil(200_000 / line.length)));
    let first: Framed | undefined;
    for (let fed = 0; fed < 6_000_000; fed += chunk.length) first ??= framing.feed(chunk)[0];
    expect(first).toEqual({ noise: "[", reason: "JSON without an end", lines });
    expect(framing.heldLines).toBe(0);
    expect(brief(framing.feed(encoder.encode(`${reply(1)}\n`)))).toEqual([1]);
  });
});
