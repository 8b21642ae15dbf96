/** Arguments by `key=value`: which of them are texts, numbers or JSON under a schema, and what does not fit. */
import { describe, expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { fitArguments } from "../../lib/host/arguments.ts";
import { fitted } from "./arguments-kit.ts";

function refusal(run: () => unknown): { code: string; message: string; hint?: string } {
  try {
    run();
  } catch (error) {
    return error as { code: string; message: string; hint?: string };
  }
  throw new Error("it was not refused");
}

describe("a string stays exactly as typed", () => {
  const texts = ["000123", "1e3", "0x10", "+49 170", "true", "null", "12345678901234567890"];

  test.each([...texts, '{"a":1}', "[1]", "", " x ", '"quoted"'])("%j", (text) => {
    expect(fitted({ type: "string" }, text)).toBe(JSON.stringify(text));
  });

  test.each(texts)("%j where the schema says nothing of the key", (text) => {
    expect(fitArguments([{ kind: "text", key: "other", text }], {})).toEqual({ other: text });
    expect(fitted({ description: "no type" }, text)).toBe(JSON.stringify(text));
    expect(fitted(true, text)).toBe(JSON.stringify(text));
  });

  test.each(["5", "true", "null"])("%j where a string is one of several types", (text) => {
    expect(fitted({ type: ["string", "number", "boolean", "null"] }, text)).toBe(
      JSON.stringify(text),
    );
    expect(fitted({ anyOf: [{ type: "integer" }, { type: "string" }] }, text)).toBe(
      JSON.stringify(text),
    );
  });
});

describe("an object or array is one also where the schema names no type", () => {
  test.each(['{"a":1}', "[1]", "{}", " [1]", "{not json", "[x]"])("%j", (text) => {
    const isJson = text === "{}" || text === "[1]" || text === '{"a":1}';
    const expected = isJson ? text : JSON.stringify(text);
    expect(fitted({ description: "no type" }, text)).toBe(expected);
    expect(fitted(true, text)).toBe(expected);
    expect(fitted({ anyOf: [{ type: "string" }, {}] }, text)).toBe(expected);
    const other = fitArguments([{ kind: "text", key: "other", text }], {});
    expect(JSON.stringify(other["other"])).toBe(expected);
  });
});

describe("other types are read as JSON", () => {
  test.each<[Json, string, string]>([
    [{ type: "number" }, "1.5", "1.5"],
    [{ type: "number" }, "-1e3", "-1000"],
    [{ type: "integer" }, "42", "42"],
    [{ type: "integer" }, "5.0", "5"],
    [{ type: "boolean" }, "false", "false"],
    [{ type: "null" }, "null", "null"],
    [{ type: ["integer", "null"] }, "null", "null"],
    [{ type: "object" }, '{"a":[1]}', '{"a":[1]}'],
    [{ type: "array" }, "[1,2]", "[1,2]"],
    [{ anyOf: [{ type: "object" }, { type: "string" }] }, '{"a":1}', '{"a":1}'],
    [{ anyOf: [{ type: "object" }, { type: "string" }] }, "{not json", '"{not json"'],
    [{ anyOf: [{ type: "object" }, { type: "string" }] }, "[1]", '"[1]"'],
    [{ oneOf: [{ type: "array" }, { type: "string" }] }, "[1]", "[1]"],
    [{ allOf: [{ description: "x" }, { type: "integer" }] }, "7", "7"],
    [{ enum: [1, 2, "three"] }, "2", "2"],
    [{ enum: [1, 2, "three"] }, "three", '"three"'],
    [{ enum: ["1", 1] }, "1", '"1"'],
    [{ const: 5 }, "5", "5"],
    [{ const: null }, "null", "null"],
  ])("%j takes %s as %s", (schema, text, expected) => {
    expect(fitted(schema, text)).toBe(expected);
  });

  test("whole numbers keep every digit", () => {
    expect(fitted({ type: "integer" }, "12345678901234567890")).toBe("12345678901234567890");
    expect(fitted({ type: "number" }, "-9007199254740993")).toBe("-9007199254740993");
    expect(fitted({ type: "object" }, '{"id":9007199254740993}')).toBe('{"id":9007199254740993}');
  });
});

describe("what does not fit is refused, naming the argument, the expectation and what was given", () => {
  test.each<[Json, string, string]>([
    [{ type: "number" }, "abc", 'argument key: expected number, got "abc"'],
    [{ type: "number" }, "", 'argument key: expected number, got ""'],
    [{ type: "number" }, "NaN", 'argument key: expected number, got "NaN"'],
    [{ type: "number" }, "1e999", 'argument key: expected number, got "1e999"'],
    [{ type: "integer" }, "007", 'argument key: expected integer, got "007"'],
    [{ type: "integer" }, "1.5", 'argument key: expected integer, got "1.5"'],
    [{ type: "boolean" }, "yes", 'argument key: expected boolean, got "yes"'],
    [{ type: "array" }, "a,b", 'argument key: expected array (as JSON), got "a,b"'],
    [{ type: "object" }, "[1]", 'argument key: expected object (as JSON), got "[1]"'],
    [{ enum: ["a", 1] }, "b", 'argument key: expected "a" or 1, got "b"'],
  ])("%j does not take %j", (schema, text, message) => {
    expect(refusal(() => fitted(schema, text))).toMatchObject({ code: "usage", message });
  });

  test.each([
    ["to", "me@x.org", `; an array is JSON: to='["me@x.org"]'`],
    ["to", "a, b", `; an array is JSON: to='["a","b"]'`],
    ["ids", "1,2", "; an array is JSON: ids='[1,2]'"],
    ["ids", "it's", ""],
    [
      "ids",
      "[a]",
      "; keys and texts in JSON have double quotes, which a shell leaves alone in '…'",
    ],
    [
      "o",
      "{a:1}",
      "; keys and texts in JSON have double quotes, which a shell leaves alone in '…'",
    ],
    ["o", '{"a":True}', ""],
    ["o", "x", ""],
    ["o", "[1]", ""],
  ])("with what JSON in a shell looks like: %s=%s", (key, text, more) => {
    const schema = {
      properties: {
        to: { type: "array", items: { type: "string" } },
        ids: { type: "array", items: { type: "integer" } },
        o: { type: "object" },
      },
    };
    const error = refusal(() => fitArguments([{ kind: "text", key, text }], schema, "t"));
    expect(error.hint).toBe(`t(to?: string[], ids?: integer[], o?: object)${more}`);
  });

  test("with the tool's signature as the hint", () => {
    const schema = { properties: { n: { type: "integer" } }, required: ["n"] };
    const error = refusal(() =>
      fitArguments([{ kind: "text", key: "n", text: "x" }], schema, "add"),
    );
    expect(error.hint).toBe("add(n: integer)");
  });
});

test("later wins over earlier, whatever its kind", () => {
  const parts = [
    { kind: "object", value: { a: 1, b: 1 } } as const,
    { kind: "json", key: "a", value: 2 } as const,
    { kind: "text", key: "b", text: "3" } as const,
    { kind: "object", value: { b: 4 } } as const,
  ];
  expect(fitArguments(parts, {})).toEqual({ a: 2, b: 4 });
});

test("__proto__ is a key like any other", () => {
  const fit = fitArguments([{ kind: "text", key: "__proto__", text: "x" }], {
    properties: { constructor: { type: "integer" } },
  });
  expect(JSON.stringify(fit)).toBe('{"__proto__":"x"}');
  expect(Object.getPrototypeOf(fit)).toBe(Object.prototype);
  expect(fitArguments([{ kind: "text", key: "toString", text: "1" }], { properties: {} })).toEqual({
    toString: "1",
  } as unknown as JsonObject);
});
