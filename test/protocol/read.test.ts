/** One parsed value as a JSON-RPC message: by shape, with what was odd, or the reason why it is none. */
import { describe, expect, test } from "bun:test";

import type { Message } from "../../lib/protocol/jsonrpc.ts";
import { isNotification, isRequest, isResponse } from "../../lib/protocol/jsonrpc.ts";
import { readMessage, readMessages } from "../../lib/protocol/read.ts";

const jsonrpc = "2.0" as const;
const kinds = (message: Message) =>
  [isRequest, isNotification, isResponse].map((is) => is(message));

test("what is in order is passed on as the same object", () => {
  const values = [
    { jsonrpc, id: 1, result: { tools: [] } },
    { jsonrpc, id: 0, result: {} },
    { jsonrpc, id: "a", error: { code: 0, message: "no" } },
    { jsonrpc, id: null, error: { code: -32700, message: "no" } },
    { jsonrpc, id: 7, method: "ping" },
    { jsonrpc, method: "notifications/x", params: { a: 1 }, extra: true },
  ];
  for (const value of values) expect(readMessage(value)).toEqual({ message: value as Message });
  for (const value of values) expect(readMessage(value).message).toBe(value as Message);
});

test("the guards tell the three kinds apart", () => {
  expect(kinds({ jsonrpc, id: 0, method: "ping" })).toEqual([true, false, false]);
  expect(kinds({ jsonrpc, method: "ping" })).toEqual([false, true, false]);
  expect(kinds({ jsonrpc, id: null, error: { code: 0, message: "" } })).toEqual([
    false,
    false,
    true,
  ]);
});

describe("accepted by shape, and said", () => {
  const rows: [string, unknown, unknown, string][] = [
    ["no jsonrpc", { id: 1, result: {} }, { jsonrpc, id: 1, result: {} }, "no jsonrpc member"],
    [
      "jsonrpc 1.0",
      { jsonrpc: "1.0", id: 1, result: 5 },
      { jsonrpc, id: 1, result: 5 },
      "jsonrpc 1.0",
    ],
    ["jsonrpc 2", { jsonrpc: 2, method: "m" }, { jsonrpc, method: "m" }, "jsonrpc 2"],
    [
      "no jsonrpc on a call",
      { id: 3, method: "m" },
      { jsonrpc, id: 3, method: "m" },
      "no jsonrpc member",
    ],
    [
      "both result and error",
      { jsonrpc, id: 1, result: {}, error: { code: 1, message: "e" } },
      { jsonrpc, id: 1, error: { code: 1, message: "e" } },
      "both a result and an error",
    ],
    [
      "null error",
      { jsonrpc, id: 1, result: 1, error: null },
      { jsonrpc, id: 1, result: 1 },
      "a null error",
    ],
    [
      "method and result",
      { jsonrpc, id: 1, method: "m", result: {} },
      { jsonrpc, id: 1, result: {} },
      "a method beside the answer",
    ],
    [
      "null id on a call",
      { jsonrpc, id: null, method: "m" },
      { jsonrpc, method: "m" },
      "a null id",
    ],
    [
      "params null",
      { jsonrpc, id: 1, method: "m", params: null },
      { jsonrpc, id: 1, method: "m" },
      "params that are no object",
    ],
    [
      "error without an id",
      { jsonrpc, error: { code: 1, message: "e" } },
      { jsonrpc, id: null, error: { code: 1, message: "e" } },
      "no id",
    ],
    ["neither", { jsonrpc: "1.0", id: 4 }, { jsonrpc, id: 4 }, "jsonrpc 1.0"],
    [
      "only a null error",
      { id: 4, error: null },
      { jsonrpc, id: 4 },
      "no jsonrpc member, a null error",
    ],
  ];
  test.each(rows)("%s", (_, value, message, odd) => {
    expect(readMessage(value)).toEqual({ message: message as Message, odd });
  });
});

test("a response with neither result nor error is passed on, so that its request can fail", () => {
  expect(readMessage({ jsonrpc, id: 4 })).toEqual({ message: { jsonrpc, id: 4 } });
});

describe("errors with parts missing show what is missing", () => {
  const rows: [string, unknown, unknown][] = [
    ["a string", "boom", { code: 0, message: "boom (an error without a code)" }],
    ["no code", { message: "boom" }, { code: 0, message: "boom (an error without a code)" }],
    [
      "a code that is a word",
      { code: "E_BAD", message: "boom" },
      {
        code: 0,
        message: "boom (an error without a code)",
        data: { code: "E_BAD", message: "boom" },
      },
    ],
    [
      "no message",
      { code: -5, reason: "r" },
      { code: -5, message: "(an error without a message)", data: { code: -5, reason: "r" } },
    ],
    ["code as a string", { code: "-32601", message: "m" }, { code: -32_601, message: "m" }],
    [
      "data is kept",
      { code: "x", message: "m", data: 0 },
      { code: 0, message: "m (an error without a code)", data: 0 },
    ],
    ["false", false, { code: 0, message: "false (an error without a code)" }],
  ];
  test.each(rows)("%s", (_, error, read) => {
    const { message, odd } = readMessage({ jsonrpc, id: 1, error });
    expect(message).toEqual({ jsonrpc, id: 1, error: read } as Message);
    expect(odd).toBe("a malformed error");
  });
});

test("an error of any size and depth is only named in the message, and kept as data", () => {
  const deep = JSON.parse("[".repeat(200_000) + "]".repeat(200_000));
  const { message } = readMessage({ jsonrpc, id: 1, error: deep });
  if (message === undefined || !isResponse(message)) throw new Error("no response");
  expect(message.error?.message).toBe("an array (an error without a code)");
  expect(message.error?.data).toBe(deep);
});

describe("no message", () => {
  const rows: [unknown][] = [
    [42],
    ["x"],
    [null],
    [true],
    [{}],
    [{ a: 1 }],
    [{ jsonrpc }],
    [{ id: 5 }],
    [{ id: {}, jsonrpc, result: {} }],
    [{ id: true, jsonrpc, method: "m" }],
    [{ jsonrpc, id: 1, method: 5 }],
    [{ level: "error", error: "connection refused" }],
    [{ method: "GET", path: "/" }],
    [{ __proto__: null, toString: 1 }],
  ];
  test.each(rows)("%j", (value) => {
    const reading = readMessage(value);
    expect(reading.message).toBeUndefined();
    expect(reading.noise).toBeString();
  });
});

test("a batch gives its elements; empty and nested ones are noise", () => {
  const reply = { jsonrpc, id: 1, result: {} };
  const note = { jsonrpc, method: "n" };
  expect(readMessages([reply, note])).toEqual([{ message: reply }, { message: note }]);
  expect(readMessages([])).toEqual([{ noise: "an empty batch" }]);
  expect(readMessages([[reply]])).toEqual([{ noise: "not a JSON object" }]);
  expect(readMessages([reply, 5])).toEqual([{ message: reply }, { noise: "not a JSON object" }]);
});
