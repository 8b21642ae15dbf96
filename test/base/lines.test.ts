import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { type Line, LineSplitter } from "../../lib/base/lines.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function show(line: Line): string {
  return "oversize" in line ? `oversize ${line.oversize.bytes}` : decoder.decode(line);
}

/** All lines that can be taken now. A splitter that gives lines for ever fails here, and does not fill the memory. */
function* taken(splitter: LineSplitter, chunk: Uint8Array): Generator<Line> {
  // Each line costs at least its LF; one may have been pending, and a frame may be empty.
  for (let left = 2 * chunk.length + 2; ; left -= 1) {
    const line = splitter.next();
    if (line === undefined) return;
    if (left === 0) throw new Error("more lines than bytes");
    yield line;
  }
}

function split(chunks: Uint8Array[], lineBytesMax?: number): Line[] {
  const splitter = new LineSplitter(lineBytesMax === undefined ? {} : { lineBytesMax });
  const lines: Line[] = [];
  for (const chunk of chunks) {
    splitter.push(chunk);
    lines.push(...taken(splitter, chunk));
  }
  const last = splitter.end();
  return last === undefined ? lines : [...lines, last];
}

const texts = (...chunks: string[]) => split(chunks.map((c) => encoder.encode(c))).map(show);

/** Cuts bytes at any places. */
function cut(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const at = [...new Set([0, ...places.map((p) => p % (bytes.length + 1)), bytes.length])];
  at.sort((a, b) => a - b);
  return at.slice(1).map((end, i) => bytes.slice(at[i], end));
}

describe("lines", () => {
  test("LF only ends a line; one CR before it goes", () => {
    expect(texts("a\r\nb\rc\n\n\u2028d\u0085\n\r\r\n")).toEqual([
      "a",
      "b\rc",
      "",
      "\u2028d\u0085",
      "\r",
    ]);
  });

  test("a byte order mark goes at the very start and nowhere else, even when it comes in parts", () => {
    const bytes = encoder.encode("\ufeff{}\n\ufeffx\n");
    const keep = new TextDecoder("utf-8", { ignoreBOM: true });
    const lines = split([bytes.slice(0, 1), bytes.slice(1, 2), bytes.slice(2)]);
    expect(lines.map((line) => keep.decode(line as Uint8Array))).toEqual(["{}", "\ufeffx"]);
  });

  test("the last line needs no LF, and an empty rest is no line", () => {
    expect(texts("a\nb")).toEqual(["a", "b"]);
    expect(texts("a\n")).toEqual(["a"]);
    expect(texts()).toEqual([]);
  });

  test("a character cut between chunks comes whole", () => {
    const bytes = encoder.encode("né€😀\n");
    expect(split([...bytes].map((b) => Uint8Array.of(b))).map(show)).toEqual(["né€😀"]);
  });

  test("bytes that are no UTF-8 come as they are", () => {
    const bytes = Uint8Array.of(0xff, 0x00, 0x0a, 0xc3, 0x0a);
    expect(split([bytes]) as Uint8Array[]).toEqual([Uint8Array.of(0xff, 0), Uint8Array.of(0xc3)]);
  });

  test("any chunking gives the same lines", () => {
    const piece = fc.oneof(
      fc.constantFrom("\n", "\r\n", "\r", "\ufeff", "é", "😀", "{}"),
      fc.string({ maxLength: 30 }),
      fc.integer({ min: 500, max: 5000 }).map((n) => "x".repeat(n)),
    );
    fc.assert(
      fc.property(
        fc.array(piece),
        fc.array(fc.nat()),
        fc.constantFrom(10, 1500, 1 << 20),
        (pieces, places, max) => {
          const bytes = encoder.encode(pieces.join(""));
          const whole = split([bytes], max);
          expect(split(cut(bytes, places), max)).toEqual(whole);
          const plain = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\n");
          if (plain.at(-1) === "") plain.pop();
          expect(whole.length).toBe(plain.length);
        },
      ),
    );
  });

  test("a line of 16 MiB, in small chunks or byte by byte at its end, costs no more than its bytes", () => {
    const chunks = Array.from({ length: 256 }, () => new Uint8Array(65_536).fill(97));
    for (let i = 0; i < 100_000; i++) chunks.push(Uint8Array.of(98));
    chunks.push(Uint8Array.of(10));
    const [line] = split(chunks) as Uint8Array[];
    expect(line?.length).toBe(16 * 1024 * 1024 + 100_000);
    expect(line?.at(-1)).toBe(98);
    expect(line?.[0]).toBe(97);
  });
});

describe("the bound", () => {
  test("a line of exactly the bound is whole; one byte more is told, and the next line is read", () => {
    expect(split([encoder.encode("12345\n123456\nok\n")], 5).map(show)).toEqual([
      "12345",
      "oversize 6",
      "ok",
    ]);
    expect(
      split(
        [..."12345\n123456\nok\n"].map((c) => encoder.encode(c)),
        5,
      ).map(show),
    ).toEqual(["12345", "oversize 6", "ok"]);
  });

  test("keeps the first and the last 4 KiB of what it throws away", () => {
    const head = `{"id":7,${"h".repeat(4088)}`;
    const tail = `${"t".repeat(4089)}"id":8}`.slice(-4096);
    const chunks = [
      head,
      ...Array.from({ length: 50 }, () => "m".repeat(1000)),
      tail.slice(0, 9),
      tail.slice(9),
      "\nok",
    ];
    const [line, ok] = split(
      chunks.map((c) => encoder.encode(c)),
      10_000,
    );
    if (line === undefined || !("oversize" in line)) throw new Error("not oversize");
    expect(line.oversize.bytes).toBe(head.length + 50_000 + tail.length);
    expect(decoder.decode(line.oversize.head)).toBe(head);
    expect(decoder.decode(line.oversize.tail)).toBe(tail);
    expect(ok && show(ok)).toBe("ok");
  });

  test("65,535 to 65,537 bytes, 1 MiB, 20 MiB and then a small one all come whole (B103)", () => {
    const sizes = [65_535, 65_536, 65_537, 1 << 20, 20 << 20, 3];
    const bytes = encoder.encode(sizes.map((n) => `${"y".repeat(n)}\n`).join(""));
    const places = Array.from({ length: 300 }, (_, i) => i * 65_536);
    expect(split(cut(bytes, places)).map((line) => (line as Uint8Array).length)).toEqual(sizes);
  });
});

describe("frames by length", () => {
  test("the next bytes are one line, whatever they hold and however they are cut", () => {
    const text = "Length 5\r\n\r\na\nb\r\nLength 0\n\nLength 2\n\nxyz\n";
    const wanted = ["Length 5", "", "a\nb\r\n", "Length 0", "", "", "Length 2", "", "xy", "z"];
    const bytes = encoder.encode(text);
    expect(readFrames([bytes])).toEqual(wanted);
    expect(readFrames([...bytes].map((b) => Uint8Array.of(b)))).toEqual(wanted);
  });

  test("a body beyond the bound is told, and the next frame is read; a body cut off by the end is given", () => {
    const text = `Length 9\n\n${"b".repeat(9)}Length 3\n\nok!Length 7\n\nhalf`;
    const wanted = ["oversize 9", "", "oversize 9", "Length 3", "", "ok!", "Length 7", "", "half"];
    expect(readFrames([encoder.encode(text)], 8)).toEqual(["Length 9", ...wanted.slice(1)]);
  });
});

/** Reads like a consumer of Content-Length frames: the blank line says that a body follows. */
function readFrames(chunks: Uint8Array[], lineBytesMax = 1000): string[] {
  const splitter = new LineSplitter({ lineBytesMax });
  const lines: string[] = [];
  let body: number | undefined;
  for (const chunk of chunks) {
    splitter.push(chunk);
    for (const line of taken(splitter, chunk)) {
      const text = show(line);
      lines.push(text);
      if (text.startsWith("Length ")) body = Number(text.slice(7));
      if (text !== "" || body === undefined) continue;
      splitter.expectBytes(body);
      body = undefined;
    }
  }
  const last = splitter.end();
  return last === undefined ? lines : [...lines, show(last)];
}
