/** Bytes of a server's stdout: several messages on one line, and log text between them. */
import { describe, expect, test } from "bun:test";

import { brief, frame, log, reply } from "./framing-kit.ts";

describe("several messages on one line", () => {
  test.each(["", " ", "\r", "\0", "\u001e", "\t \0"])("with %j between them", (between) => {
    const line = [reply(1), log, reply(2, "é{")].join(between) + between;
    for (const chunk of [1, 50, 10_000])
      expect(frame(`${line}\n${reply(3)}\n`, { chunk })).toEqual([
        { message: JSON.parse(reply(1)), text: reply(1) },
        { message: JSON.parse(log), text: log },
        { message: JSON.parse(reply(2, "é{")), text: reply(2, "é{") },
        { message: JSON.parse(reply(3)), text: reply(3) },
      ]);
  });

  test("of which one is broken, or cut", () => {
    const broken = '{"jsonrpc":"2.0","id":2,"result":NaN}';
    expect(brief(frame(`${reply(1)}${broken}${reply(3)}\n`))).toEqual([1, { oversize: 2 }, 3]);
    const cut = '{"jsonrpc":"2.0","id":2,"result":"';
    expect(brief(frame(`${reply(1)}${cut}\n${reply(3)}\n`))).toEqual([1, { oversize: 2 }, 3]);
  });

  test("behind a NUL", () => {
    expect(brief(frame(`${reply(1)}\n\0${reply(2)}\n`))).toEqual([1, 2]);
  });

  test("with a log text behind, or between", () => {
    expect(brief(frame(`${reply(1)} done\n${reply(2)}[log] ${reply(3)}\n`))).toEqual([
      1,
      "done",
      2,
      `[log] ${reply(3)}`,
      3,
    ]);
    expect(brief(frame(`${reply(1)}}\n${reply(2)}\n`))).toEqual([1, "}", 2]);
  });

  test("behind a JSON log", () => {
    expect(brief(frame(`{"level":30}${reply(1)}\n{"level":30} {"a":1}\n`))).toEqual([
      '{"level":30}',
      1,
      '{"level":30} {"a":1}',
    ]);
  });
});
