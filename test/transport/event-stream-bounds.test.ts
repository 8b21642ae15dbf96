/** Bytes of an event stream into events: the bound on an event, and time that grows with its length alone. */
import { describe, expect, test } from "bun:test";

import type { StreamEvent } from "../../lib/transport/event-types.ts";
import { cut, read } from "./event-stream-kit.ts";

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
