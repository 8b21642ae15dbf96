/** Bytes of an event stream into events: line ends, cuts anywhere, bounds, and what brings no message. */
import { describe, expect, test } from "bun:test";

import { EventStream } from "../../lib/transport/event-stream.ts";
import type { StreamEvent } from "../../lib/transport/event-types.ts";
import type { Oversize } from "../../lib/transport/transport.ts";

function body(chunks: Iterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { value, done } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
  });
}

async function read(
  chunks: Iterable<string | Uint8Array>,
  eventBytesMax?: number,
): Promise<(StreamEvent | Oversize)[]> {
  return await Array.fromAsync(new EventStream(body(chunks), { eventBytesMax }));
}

/** The text in chunks of `size` bytes, so that characters and line ends are cut everywhere. */
function cut(text: string, size: number): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.slice(index * size, (index + 1) * size),
  );
}

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

describe("an event that is too large is told of with its id, and the reading goes on behind it", () => {
  const filler = "x".repeat(50_000);
  const first = `{"jsonrpc":"2.0","id":3,"result":{"text":"${filler}"}}`;
  const last = `{"result":{"text":"${filler}"},"id":"s","jsonrpc":"2.0"}`;
  const call = `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"text":"${filler}"}}`;

  test.each([17, 1000, 1_000_000])("in chunks of %d bytes", async (size) => {
    const text = [first, "small", last, call, "end"].map((data) => `id: 1\ndata: ${data}\n\n`);
    const found = await read(cut(text.join(""), size), 10_000);
    const bytesMax = 10_000;
    expect(found.filter((item) => "oversize" in item || item.data !== "")).toMatchObject([
      { oversize: { bytesMax, id: 3 } },
      { data: "small" },
      { oversize: { bytesMax, id: "s" } },
      { oversize: { bytesMax, id: 9, call: true } },
      { data: "end" },
    ]);
    for (const item of found)
      if ("oversize" in item) expect(item.oversize.bytes).toBeGreaterThan(50_000);
  });

  test("at the end of the stream and in many lines", async () => {
    const many = `data: {"jsonrpc":"2.0","id":4,\n${'data: "a": 1,\n'.repeat(2000)}`;
    expect(await read(cut(many, 100), 1000)).toMatchObject([{ oversize: { id: 4 } }]);
  });

  test.each([
    ["LF", "\n\n"],
    ["CRLF", "\r\n\r\n"],
    ["CR", "\r\r"],
  ])("with %s, cut at each place", async (_name, blank) => {
    const text = `data: ${"x".repeat(120)}${blank}data: a${blank}`;
    for (let size = 1; size < 20; size++)
      expect(await read(cut(text, size), 100)).toMatchObject([{ oversize: {} }, { data: "a" }]);
  });
});

test("many small events never add up to a large one, wherever they are cut", async () => {
  const text = `data: ${"y".repeat(40)}\r\n\r\n`.repeat(50);
  const all = Array.from({ length: 50 }, (): StreamEvent => ({ data: "y".repeat(40) }));
  for (let size = 1; size < 70; size++) expect(await read(cut(text, size), 60)).toEqual(all);
});

test("one large event in small chunks takes linear time", async () => {
  const chunk = new TextEncoder().encode("z".repeat(1000));
  const chunks = [
    Buffer.from("data: "),
    ...Array<Uint8Array>(20_000).fill(chunk),
    Buffer.from("\n\n"),
  ];
  const startedAt = performance.now();
  const [event] = await read(chunks);
  expect(event).toMatchObject({ data: "z".repeat(20_000_000) });
  expect(performance.now() - startedAt).toBeLessThan(4000);
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
