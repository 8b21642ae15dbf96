/**
 * One line that stays at the bottom of a terminal (a progress bar), while others are written above it. It owns no text
 * and draws only when told.
 */
import type { Sink } from "./types.ts";

export interface StatusLine {
  /** Writes above the line. */
  sink: Sink;
  /** Sets the line, or takes it away. */
  show(line: string | undefined): void;
}

/** Over the stderr of a terminal. */
export function statusLine(under: Sink): StatusLine {
  let current: string | undefined;
  const erase = "\r\u001b[K";
  return {
    sink: {
      get closed() {
        return under.closed;
      },
      async write(data) {
        if (current === undefined) return await under.write(data);
        await under.write(erase);
        await under.write(data);
        await under.write(current);
      },
    },
    show(line) {
      if (line === current) return;
      current = line;
      void under.write(erase + (line ?? ""));
    },
  };
}
