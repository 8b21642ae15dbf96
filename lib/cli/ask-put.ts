/**
 * One question on the terminal, with the terminal to itself, and the keys that leave it: Esc and Ctrl-D answer nothing,
 * Ctrl-C ends all that is under way, and after Ctrl-Z it is asked again as soon as we are in the foreground.
 */
import { HostError } from "../base/errors.ts";
import type { Io } from "./types.ts";
import { visible } from "./visible.ts";

export type Asking = Pick<Io, "terminal" | "signal" | "status" | "interrupt" | "hold"> & {
  over?: AbortSignal;
};
export type Prompts = typeof import("@clack/prompts");
export type Common = ReturnType<typeof commonOf>;

/** @throws HostError `cancelled` */
export async function put<T>(
  io: Asking,
  message: string,
  prompt: (prompts: Prompts, common: Common) => Promise<T>,
): Promise<Exclude<T, symbol>> {
  const prompts = await import("@clack/prompts");
  const { over } = io;
  // One that says no size (a serial line, a container's) has the usual one, as everywhere else.
  process.stderr.columns ||= io.terminal.columns;
  process.stderr.rows ||= 24;
  const signal = over === undefined ? io.signal : AbortSignal.any([io.signal, over]);
  // Whoever waited for a turn asks nothing any more once one question was answered by Ctrl-C.
  signal.throwIfAborted();
  const release = io.hold?.();
  const keyboard = listen();
  signal.addEventListener("abort", leave, { once: true });
  try {
    const answer = await untilAnswered((common) => prompt(prompts, common), message);
    if (!prompts.isCancel(answer)) return answer as Exclude<T, symbol>;
    if (over?.aborted === true && !io.signal.aborted) throw takenBack(over);
    throw keyboard.last() === "escape" && !io.signal.aborted ? dismissed() : interrupted(io);
  } finally {
    signal.removeEventListener("abort", leave);
    keyboard.stop();
    release?.();
  }
}

// --- internal ---

/** What all prompts are given. With `signal` they go without a word. */
function commonOf(message: string, signal: AbortSignal) {
  return { message: visible(message), input: process.stdin, output: process.stderr, signal };
}

/** Whoever was stopped finds the terminal in other hands when it goes on: what stood there is gone, and keys are not heard. */
async function untilAnswered<T>(
  prompt: (common: Common) => Promise<T>,
  message: string,
): Promise<T> {
  const again = new AbortController();
  const goOn = () => again.abort();
  process.on("SIGCONT", goOn);
  try {
    const answer = await prompt(commonOf(message, again.signal));
    if (!again.signal.aborted) return answer;
  } finally {
    process.off("SIGCONT", goOn);
  }
  return await untilAnswered(prompt, message);
}

const showCursor = "\u001b[?25h";

/** Hears the keys beside the prompt: `last` is the name of the last one. */
function listen(): { last(): string | undefined; stop(): void } {
  let last: { name?: string; ctrl?: boolean } | undefined;
  const hear = (_: unknown, key?: { name?: string; ctrl?: boolean }) => {
    last = key;
    // The prompts hide the cursor, and the shell that is back now does not show it.
    if (key?.ctrl === true && key.name === "z") process.stderr.write(showCursor);
  };
  // On an empty line Ctrl-D closes the line editor, of which the prompts hear nothing.
  const onPause = () => {
    if (last?.ctrl === true && last.name === "d") leave();
  };
  process.stdin.on("keypress", hear).on("pause", onPause);
  return {
    last: () => last?.name,
    stop: () => void process.stdin.off("keypress", hear).off("pause", onPause),
  };
}

/** As Esc does it: the prompts draw what they leave, and with their own signal they would not. */
function leave(): void {
  process.stdin.emit("keypress", undefined, { name: "escape" });
}

/** Says on a line of its own why there is nothing to be answered any more, and gives the reason back. */
function takenBack({ reason }: AbortSignal): unknown {
  const text = reason instanceof Error ? reason.message : String(reason);
  process.stderr.write(`mcphost: no answer is needed any more: ${visible(text)}\n`);
  return reason;
}

function dismissed(): HostError {
  return new HostError("cancelled", "the question was not answered (Esc)", {
    facts: { dismissed: true },
  });
}

/** A terminal in raw mode gives Ctrl-C as a key, not as a signal: here it becomes one, and ends all that is under way. */
function interrupted({ signal, interrupt }: Pick<Io, "signal" | "interrupt">): HostError {
  if (!signal.aborted) interrupt?.();
  return new HostError("cancelled", "interrupted", { facts: { signal: "SIGINT" } });
}
