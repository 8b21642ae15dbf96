import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { compact, sliceMember } from "../../lib/base/slice.ts";

describe("sliceMember", () => {
  test("gives the text as it stands: numbers, escapes, space inside", () => {
    const text =
      ' { "id" : 1 , "result" : { "n":1.0e5, "big": 12345678901234567890, "s":"\\u0041\\"}" } , "x":null }';
    expect(sliceMember(text, "result")).toBe(
      '{ "n":1.0e5, "big": 12345678901234567890, "s":"\\u0041\\"}" }',
    );
    expect(sliceMember(text, "result", "big")).toBe("12345678901234567890");
    expect(sliceMember(text, "result", "s")).toBe('"\\u0041\\"}"');
    expect(sliceMember(text, "id")).toBe("1");
    expect(sliceMember(text, "x")).toBe("null");
  });

  test.each<[string, string[]]>([
    ['{"a":1}', ["b"]],
    ['{"a":1}', ["a", "b"]],
    ["[1]", ["0"]],
    ["7", ["a"]],
    ["{}", ["a"]],
    ['{"a":{"b":1},"a":2}', ["a", "b"]],
  ])("%s has nothing at %p", (text, path) => {
    expect(sliceMember(text, ...path)).toBeUndefined();
  });

  test("the last of several members with one name counts, also when its key is written with escapes", () => {
    expect(sliceMember('{"a":1,"\\u0061":2}', "a")).toBe("2");
    expect(sliceMember('{"\\u0061":1,"a":2}', "a")).toBe("2");
    expect(sliceMember('{"a\\\\":1,"a\\"":2}', 'a"')).toBe("2");
    expect(sliceMember('{"a\\\\":1,"a\\"":2}', "a\\")).toBe("1");
    expect(sliceMember('{"\\n":1}', "\\n")).toBeUndefined();
    expect(sliceMember('{"__proto__":{"x":1}}', "__proto__", "x")).toBe("1");
  });

  test("agrees with JSON.parse", () => {
    const key = fc.oneof(
      fc.constantFrom("a", "b", "__proto__", "\\", '"', "\n", "é"),
      fc.string({ maxLength: 3 }),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(fc.tuple(key, tie("value"))).map(Object.fromEntries),
        fc.array(tie("value"), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(
        value,
        fc.array(key, { maxLength: 3 }),
        fc.constantFrom(0, 1, "\t", "\r\n "),
        (data, path, space) => {
          const text = JSON.stringify(data, undefined, space);
          const parsed = follow(JSON.parse(text), path);
          const slice = sliceMember(text, ...path);
          expect(slice === undefined ? undefined : JSON.parse(slice)).toEqual(parsed);
          if (slice !== undefined) expect(text).toContain(slice);
        },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat()), { minLength: 1 }), (members) => {
        const text = `{${members.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(",")}}`;
        for (const [k] of members)
          expect(sliceMember(text, k)).toBe(String(follow(JSON.parse(text), [k])));
      }),
    );
  });

  test("goes through 100,000 levels", () => {
    const deep = '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000);
    const mixed = '[{"x":'.repeat(50_000) + "0" + "}]".repeat(50_000);
    expect(sliceMember(`{"result":${deep},"id":2}`, "id")).toBe("2");
    expect(sliceMember(`{"result":${mixed},"id":2}`, "result")).toBe(mixed);
  });

  test("is linear: escapes without end, and a text that stops anywhere", () => {
    const slashes = JSON.stringify("\\".repeat(1_000_000) + '"'.repeat(1_000_000));
    expect(sliceMember(`{"s":${slashes},"id":2}`, "id")).toBe("2");
    const text = '{"a":{"b":["x\\"",{"c":1}],"d":"e"},"f":2}';
    for (let end = 0; end < text.length; end++) sliceMember(text.slice(0, end), "a", "d"); // only has to come back
  });
});

function follow(data: unknown, path: string[]): unknown {
  let at = data;
  for (const key of path) {
    if (typeof at !== "object" || at === null || Array.isArray(at) || !Object.hasOwn(at, key))
      return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

test("compact puts JSON on one line and changes no value", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom("\t", "   "),
      fc.constantFrom("\n", "\r\n", "\r"),
      (data, space, end) => {
        const line = compact(JSON.stringify(data, undefined, space).replaceAll("\n", end));
        expect(line).not.toMatch(/[\r\n]/);
        expect(line).toBe(JSON.stringify(data, undefined, space).replaceAll(/\n\s*/g, ""));
        expect(JSON.stringify(JSON.parse(line))).toBe(JSON.stringify(data));
      },
    ),
  );
});
