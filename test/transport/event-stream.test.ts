/** Bytes of an event stream into events: line ends, cuts anywhere, and what brings no message. */
import { describe, expect, test } from "bun:test";

import { EventStream } from "../../lib/transport/event-stream.ts";
import { cut, read } from "./event-stream-kit.ts";

const lines = [
  ": a comment",
  "event: message",
  "id: 7",
  'data: {"text":',
  'data: "grüße 🎉"}',
  "",
  "unknown: field",
  "retry: 1500",
  "event: other",
  "data:no space",
  "",
  ":",
  "",
  "id: 8",
  "data:",
  "",
];

const events = [
  { id: "7", event: "message", data: '{"text":\n"grüße 🎉"}' },
  { retry: 1500, event: "other", data: "no space" },
  { id: "8", data: "" },
];

describe.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("with %s", (_name, eol) => {
  const text = `\uFEFF${lines.join(eol)}${eol}`;

  test.each([1, 2, 3, 5, 64, 4096])("in chunks of %d bytes", async (size) => {
    const found = await read(cut(text, size));
    // A retry time takes effect at once, so in small chunks it comes before the event.
    const data = found.filter((event) => !("retry" in event && event.data === ""));
    expect(data.map((event) => ({ ...event, retry: undefined }))).toEqual(
      events.map((event) => ({ ...event, retry: undefined })),
    );
    expect(found.filter((event) => "retry" in event && event.retry === 1500)).toHaveLength(1);
  });
});

test("the three line ends may be mixed", async () => {
  expect(await read(["data: a\r\rdata: b\n\r\ndata: c\r\n\ndata: d\n\n"])).toEqual(
    ["a", "b", "c", "d"].map((data) => ({ data })),
  );
});

test("an event that the stream ends in is dropped, but its retry time counts", async () => {
  expect(await read(["data: a\n\nretry: 20\n", "data: b\n"])).toEqual([
    { data: "a" },
    { retry: 20, data: "" },
  ]);
});

describe("an event that comes in a chunk of its own is what it is in any other", () => {
  const texts = [
    ["event: message", 'data: {"id":1}', ""],
    ["data: {}", ""],
    ["data:  two spaces", ""],
    ["data: ", ""],
    ["id: 1", 'data: {"id":2}', ""],
    ["event: message", "data: 1", "data: 2", ""],
    ["event: other", "data: 3", ""],
    ["data: 4"],
    ["", ""],
  ];
  const ends = ["\n", "\r\n", "\r"];
  const chunksOf = (end: string) => texts.map((all) => `${all.join(end)}${end}`);

  test.each(ends)("behind one with %j", async (end) => {
    for (const first of chunksOf(end))
      for (const second of ends.flatMap(chunksOf)) {
        const chunks = [first, second, "data: last\n\n"];
        expect(await read(chunks)).toEqual(await read([chunks.join("")]));
        expect(await read(chunks)).toEqual(await read(cut(chunks.join(""), 1)));
      }
  });
});

test("an id alone and an empty id are told of; one with NUL is ignored", async () => {
  expect(await read(["id: 1\n\n", "id\ndata: x\n\nid: a\0b\n\n"])).toEqual([
    { id: "1", data: "" },
    { id: "", data: "x" },
  ]);
});

test("bytes that are no UTF-8 are replaced", async () => {
  expect(await read([new Uint8Array([...Buffer.from("data: "), 0xff, 10, 10])])).toEqual([
    { data: "\uFFFD" },
  ]);
});

test("what breaks the stream comes behind the events before it", async () => {
  const broken = new Error("reset");
  const stream = new EventStream(
    new ReadableStream(
      {
        start: (controller) => controller.enqueue(Buffer.from("data: a\n\n")),
        pull: (controller) => controller.error(broken),
      },
      { highWaterMark: 0 },
    ),
  );
  expect((await stream.next()).value).toEqual({ data: "a" });
  expect(stream.next()).rejects.toBe(broken);
});

test("leaving the loop cancels the body", async () => {
  const cancelled = Promise.withResolvers<void>();
  const stream = new EventStream(
    new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from("data: a\n\n")),
      cancel: () => cancelled.resolve(),
    }),
  );
  for await (const event of stream) {
    expect(event).toEqual({ data: "a" });
    break;
  }
  await cancelled.promise;
});
