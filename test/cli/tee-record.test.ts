/** The record of `tee`: lines, their bound, and a disk that is slow. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { FileHandle } from "node:fs/promises";

import { LineRecord, Lines } from "../../lib/cli/line-record.ts";
import { Pump } from "../../lib/cli/tee.ts";
import { tempDir } from "../harness.ts";

// The ladder that ends a stubborn child alone takes four seconds.
setDefaultTimeout(30_000);

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe("the record", () => {
  test("cuts lines at LF only, however the chunks fall", () => {
    const whole = bytes("a\r\n\u2028b\n\nlast");
    for (const size of [1, 2, 3, 100]) {
      const got: string[] = [];
      const lines = new Lines((parts) => got.push(Buffer.concat(parts).toString()), 100);
      for (let at = 0; at < whole.length; at += size) lines.push(whole.slice(at, at + size));
      lines.end();
      expect(got).toEqual(["a\r", "\u2028b", "", "last"]);
    }
  });

  test("cuts a line at the bound and says by how much", () => {
    const got: unknown[] = [];
    const lines = new Lines((parts, cut) => got.push([Buffer.concat(parts).toString(), cut]), 4);
    for (const chunk of ["abc", "defg", "h\nxy\n"]) lines.push(bytes(chunk));
    expect(got).toEqual([
      ["abcd", 4],
      ["xy", 0],
    ]);
  });

  test("drops lines that the file is too slow for, and writes how many", async () => {
    await using dir = await tempDir();
    const { open } = await import("node:fs/promises");
    const gate = Promise.withResolvers<void>();
    const record = new LineRecord({
      open: async () => {
        await gate.promise;
        return await open(dir.file("record"), "a");
      },
      now: () => 1_700_000_000_123,
      failed: (error) => expect(error).toBeUndefined(),
      queueBytesMax: 52,
    });
    const tap = record.tap(">>");
    for (const line of ["first\n", "second\n", "third\n", "fourth\n"]) tap(bytes(line));
    gate.resolve();
    expect(await record.close(1000)).toBe(true);
    expect(await Bun.file(dir.file("record")).text()).toBe(
      "1700000000.123 >> first\n1700000000.123 >> second\n" +
        "1700000000.123 -- 2 lines not kept: the file was too slow\n",
    );
  });

  test("a large line on a slow disk is waited for; a file that takes nothing is not", async () => {
    for (const isSlow of [true, false]) {
      const took: number[] = [];
      const file = {
        async appendFile(block: Uint8Array) {
          await (isSlow ? Bun.sleep(100) : new Promise(() => {}));
          took.push(block.length);
        },
        async close() {},
      } as unknown as FileHandle;
      const record = new LineRecord({ open: async () => file, now: () => 0, failed() {} });
      record.tap(">>")(
        isSlow ? Buffer.concat([Buffer.alloc(64_000_000, "x"), bytes("\n")]) : bytes("a\n"),
      );
      expect(await record.close(20)).toBe(isSlow);
      expect(took).toHaveLength(isSlow ? 1 : 0);
    }
  });

  test("a pump whose source is kept open ends once nothing comes and nothing is being written", async () => {
    let control!: ReadableStreamDefaultController<Uint8Array>;
    const source = new ReadableStream<Uint8Array>({ start: (one) => void (control = one) });
    const slow = Promise.withResolvers<void>();
    const got: string[] = [];
    const pump = new Pump(
      source.getReader(),
      {
        async write(chunk) {
          await slow.promise;
          got.push(Buffer.from(chunk).toString());
          return true;
        },
        close: async () => void got.push("closed"),
      },
      () => {},
    );
    control.enqueue(bytes("one"));
    control.enqueue(bytes("two"));
    const quiet = pump.endWhenQuiet(5);
    await Bun.sleep(30);
    expect(got).toEqual([]);
    slow.resolve();
    await Promise.all([quiet, pump.done]);
    expect(got).toEqual(["one", "two", "closed"]);
  });
});
