/**
 * One line that stays at the bottom of a terminal (a progress bar), while others are written above it. It owns no text
 * and draws only when told.
 */
import type { StderrSink } from "./stderr-sink.ts";
import type { Sink, Terminal } from "./types.ts";

export interface StatusLine {
  /** Writes above the line. */
  sink: Sink;
  /** Sets the line, or takes it away. One that is too long for the terminal is cut. */
  show(line: string | undefined): void;
  /** Another way to the same terminal: the line is taken away before anything is written there. */
  before(other: Sink): Sink;
  /** Takes the line away, and keeps back all that is written here until the returned function is called: a question is open. */
  hold(): () => void;
}

/** Over the stderr of a terminal. */
export function statusLine(under: StderrSink, terminal: Pick<Terminal, "columns">): StatusLine {
  let current: string | undefined;
  let wanted: string | undefined;
  let holds = 0;
  let held: (string | Uint8Array)[] = [];
  const erase = "\r\u001b[K";
  const show = (text: string | undefined) => {
    // In the last column the cursor would stand on the next row.
    const line = text === undefined ? text : Bun.sliceAnsi(text, 0, terminal.columns - 1, "…");
    wanted = line;
    draw(holds > 0 ? undefined : line);
  };
  const draw = (line: string | undefined) => {
    if (line === current) return;
    current = line;
    void under.write(erase + (line ?? ""));
  };
  const release = () => {
    if (--holds > 0) return;
    for (const data of held) void under.write(data);
    held = [];
    draw(wanted);
  };
  return {
    show,
    hold() {
      holds++;
      draw(undefined);
      let once: typeof release | undefined = release;
      return () => {
        once?.();
        once = undefined;
      };
    },
    sink: {
      get closed() {
        return under.closed;
      },
      async write(data) {
        if (holds > 0 && held.length < heldMax) return void held.push(data);
        if (current === undefined) return await under.write(data);
        // In one tick: the line may be taken away before the next.
        await Promise.all([erase, data, current].map((part) => under.write(part)));
      },
    },
    before: (other) => ({
      get closed() {
        return other.closed;
      },
      async write(data) {
        show(undefined);
        await under.drain(drainMs);
        await other.write(data);
      },
    }),
  };
}

// --- internal ---

/** Writes that are kept back; more than that are shown at once. */
const heldMax = 1000;

/** A terminal that takes nothing for so long keeps nobody. */
const drainMs = 500;
