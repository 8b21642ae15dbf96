/** What is found in the bytes of a server's stdout. Types only. */
import type { Oversize, Received } from "./transport.ts";

/** Lines that are no message. */
export interface Noise {
  /** The first line, clipped. */
  noise: string;
  /** Why it is none. */
  reason: string;
  /** How many lines. */
  lines: number;
  /** It is a Content-Length header. */
  contentLength?: true;
}

/** A message; `odd` is what was unusual about it. */
export type Framed = (Received & { odd?: string }) | Oversize | Noise;
