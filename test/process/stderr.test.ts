import { expect, test } from "bun:test";

import type { LogEntry } from "../../lib/base/log.ts";
import { StderrTail } from "../../lib/process/stderr.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function tail(tailBytes?: number) {
  const entries: LogEntry[] = [];
  const log = (entry: LogEntry) => void entries.push(entry);
  const stderr = new StderrTail({ name: "it", log, tailBytes });
  return { stderr, texts: () => entries.map(({ text }) => text) };
}

test("each line goes to the log once it is whole; the unfinished one is kept and logged at the end", () => {
  const { stderr, texts } = tail();
  const bytes = encode("one\r\ntwo €\n\nthr");
  for (const byte of bytes) stderr.push(Uint8Array.of(byte));
  expect(texts()).toEqual(["one", "two €", ""]);
  expect(stderr.lines()).toEqual(["one", "two €", "", "thr"]);
  stderr.push(encode("ee"));
  stderr.end();
  expect(texts()).toEqual(["one", "two €", "", "three"]);
  expect(stderr.lines()).toEqual(["one", "two €", "", "three"]);
});

test("a line without end is cut at a bound, between characters, and nothing of it is lost", () => {
  const { stderr, texts } = tail();
  const text = `a${"😀".repeat(50_000)}`;
  const bytes = encode(text);
  for (let at = 0; at < bytes.length; at += 4999) stderr.push(bytes.slice(at, at + 4999));
  stderr.end();
  expect(texts().join("")).toBe(text);
  expect(Math.max(...texts().map((t) => t.length))).toBeLessThanOrEqual(8192);
  expect(texts().join("\n")).not.toContain("\ufffd");
});

test("the tail holds the last lines, in bytes, also when lines are many or long", () => {
  const { stderr } = tail(100);
  for (let i = 0; i < 10_000; i++) stderr.push(encode(`${i}\n`));
  expect(stderr.lines()).toEqual(Array.from({ length: 20 }, (_, i) => `${9980 + i}`));
  stderr.push(encode("€".repeat(10_000)));
  const kept = stderr.lines();
  expect(kept.length).toBeGreaterThan(0);
  expect(Buffer.byteLength(kept.join("\n"))).toBeLessThanOrEqual(200);
});

test("bytes that are no UTF-8 are shown as such, and break nothing", () => {
  const { stderr } = tail();
  stderr.push(Uint8Array.of(0xff, 0x41, 0x0a, 0xe2));
  stderr.end();
  expect(stderr.lines()).toEqual(["\ufffdA", "\ufffd"]);
});
