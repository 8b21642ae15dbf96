import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { isObject, type JsonObject, parseJson } from "../../lib/base/json.ts";

describe("parseJson", () => {
  test.each([
    "12345678901234567890",
    "-9007199254740993",
    "9007199254740992",
    '{"__proto__":12345678901234567890,"a":[1,{"b":99999999999999999999999}]}',
    '{"a":"12345678901234567890","b":0.12345678901234568,"c":9007199254740991}',
    "[1e400,-1e999,1e-400,0.1,1.5e+300,1E+400,0.12345678901234567890123,123456789.1234567891]",
  ])("keeps every digit of %s", (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(text);
  });

  test("small integers, and big numbers that are written as floats, are plain numbers", () => {
    expect(parseJson('[1,-0,1e20,"1234567890123456",9007199254740991]')).toEqual([
      1,
      -0,
      1e20,
      "1234567890123456",
      9007199254740991,
    ]);
  });

  test("a kept number is no object", () => {
    const { big } = parseJson('{"big":12345678901234567890}') as JsonObject;
    expect(isObject(big)).toBe(false);
    expect(JSON.isRawJSON(big)).toBe(true);
  });

  test("agrees with JSON.parse on everything else, and throws as it does", () => {
    fc.assert(fc.property(fc.json(), (text) => expect(rounded(text)).toEqual(JSON.parse(text))));
    expect(() => parseJson("{1234567890123456")).toThrow(SyntaxError);
  });

  test("takes 100,000 levels, with rounded numbers where it must", () => {
    const text = `${"[".repeat(100_000)}12345678901234567890${"]".repeat(100_000)}`;
    expect(parseJson(text)).toBeArray();
  });
});

function rounded(text: string): unknown {
  return JSON.parse(JSON.stringify(parseJson(text)));
}
