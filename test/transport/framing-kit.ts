/** What the tests of framing share: bytes into what was framed, in full and in brief. */
import type { Framed } from "../../lib/transport/framed.ts";
import { Framing } from "../../lib/transport/framing.ts";

/** Text into the bytes of UTF-8. */
export const encoder = new TextEncoder();

/** What was framed of the whole input, cut into chunks of this size. */
export function frame(
  input: string | Uint8Array,
  options: { chunk?: number; lineBytesMax?: number } = {},
): Framed[] {
  const bytes = typeof input === "string" ? encoder.encode(input) : input;
  const { chunk = bytes.length, lineBytesMax = 1_000_000 } = options;
  const framing = new Framing({ lineBytesMax });
  const out: Framed[] = [];
  for (let at = 0; at < bytes.length; at += chunk)
    out.push(...framing.feed(bytes.slice(at, at + chunk)));
  return [...out, ...framing.end()];
}

/** Ids of the answers and texts of the noise, in order. */
export function brief(framed: Framed[]): unknown[] {
  return framed.map((item) => {
    if ("noise" in item) return item.noise;
    if ("oversize" in item) return { oversize: item.oversize.id ?? null };
    return "id" in item.message ? item.message.id : item.message.method;
  });
}

/** An answer as it is written. */
export const reply = (id: number | string, result: unknown = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, result });

/** A line of a JSON log. */
export const log =
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"a }{ b\\""}}';
