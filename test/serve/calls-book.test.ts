/** The book of calls: what it keeps, within which bounds, and how every call ends with it. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import type { JsonObject } from "../../lib/base/json.ts";
import type { Outcome } from "../../lib/hooks/call.ts";
import { CallBook, type CallBookOptions } from "../../lib/serve/calls-book.ts";

describe("the book", () => {
  const completed = { status: "completed", result: {}, raw: "{}", durationMs: 1 } as Outcome;

  const call = { server: "s", tool: "t" } as never;

  function bookOf(options: Partial<CallBookOptions> = {}, outcome: Outcome = completed) {
    return new CallBook({
      host: {
        ask(request) {
          request.listener?.onCall?.(call);
          request.listener?.onEnd?.(outcome);
        },
        cancel: () => false,
      },
      now: () => 0,
      ending: new AbortController().signal,
      ...options,
    });
  }

  test("keeps so many and forgets the oldest first, for as long as you like", async () => {
    const book = bookOf({ pastMax: 3 });
    const ids: string[] = [];
    for (let i = 0; i < 3000; i++) ids.push(await run(book));
    expect(book.list("default").map(({ id }) => id)).toEqual(ids.slice(-3).toReversed());
    expect(book.get("default", ids[0]!)).toBeUndefined();
  });

  test("keeps so many bytes", async () => {
    const book = bookOf({ pastBytesMax: 20_000 });
    for (let i = 0; i < 100; i++) await run(book, { text: "x".repeat(1000) });
    expect(book.list("default").length).toBeWithin(10, 20);
  });

  test.each<[string, JsonObject]>([
    ["a long text", { a: "x".repeat(20_000) }],
    ["a long list", { a: Array.from({ length: 5000 }, () => 1) }],
    ["many keys", Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]))],
    ["deep ones", { a: JSON.parse("[".repeat(5000) + "]".repeat(5000)) }],
  ])("does not keep %s", async (_what, args) => {
    const book = bookOf();
    await run(book, args);
    expect(book.list("default")).toMatchObject([{ status: "completed", arguments: undefined }]);
  });

  test("a long message is cut", async () => {
    const error = new HostError("rpc_error", "x".repeat(10_000));
    const book = bookOf({}, { status: "failed", error, sent: true, durationMs: 1 });
    await run(book);
    expect(book.list("default")[0]?.error?.message.length).toBeLessThan(2100);
  });

  test("what is over before its beginner hears of it runs no more", async () => {
    const book = bookOf();
    const heard: Outcome[] = [];
    const listener = { onEnd: (outcome: Outcome) => heard.push(outcome) };
    const { record } = book.begin({ tool: "t", listener });
    expect([record.status, heard]).toEqual(["completed", [completed]]);
    expect(book.list("default").map(({ status }) => status)).toEqual(["completed"]);
    expect(book.cancel("default", record.id)).toBe(false);
  });

  test("ends every call when the time is over, with its reason", async () => {
    const ending = new AbortController();
    const cancelled: unknown[] = [];
    const host = {
      ask: () => {},
      cancel: (id: string, reason: HostError) => cancelled.push([id, reason]) > 0,
    };
    const book = bookOf({ host, ending: ending.signal });
    const { id } = book.begin({ tool: "t" }).record;
    const reason = new HostError("cancelled", "stopping");
    ending.abort(reason);
    expect(cancelled).toEqual([[id, reason]]);
  });
});

// --- internal ---

/** One call of the book, to its end. */
async function run(book: CallBook, args: JsonObject = {}): Promise<string> {
  const { record, outcome } = book.begin({ tool: "t", arguments: args });
  await outcome;
  return record.id;
}
