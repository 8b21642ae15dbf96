/**
 * Questions to the person at the terminal, on stderr. They exist only where stdin and stderr are terminals: elsewhere
 * `questions` is undefined, and whoever needs an answer takes the safe one and names the flag that would have given it.
 */
import { HostError, isHostError } from "../base/errors.ts";
import { fold } from "./fit.ts";
import type { Io } from "./types.ts";
import { visible, visibleLine } from "./visible.ts";

/** Every question but `confirm` @throws HostError `cancelled` with `dismissed` among its facts on Esc. */
export interface Questions {
  /** Yes or no; no is what Enter and Esc give. @throws HostError `cancelled` on Ctrl-C */
  confirm(message: string): Promise<boolean>;
  /** A line of text; undefined when nothing was typed. @throws HostError `cancelled` on Ctrl-C */
  text(message: string, options?: TextOptions): Promise<string | undefined>;
  /** One of a few values; `initial` is what Enter gives. @throws HostError `cancelled` on Ctrl-C */
  pick(message: string, options: readonly Option[], initial?: string): Promise<string>;
  /** Any of a few values, or (`needsOne`) at least one. @throws HostError `cancelled` on Ctrl-C */
  pickMany(message: string, options: readonly Option[], more?: ManyOptions): Promise<string[]>;
}

export interface TextOptions {
  /** What is typed is not shown. */
  secret?: boolean;
  /** Shown as what is taken where nothing is typed. */
  initial?: string | undefined;
  /** Stands there already, to be changed. */
  filled?: string | undefined;
  /** Why the text does not do; then it can be changed. */
  fault?: (text: string) => string | undefined;
}

export interface ManyOptions {
  /** Picked already. */
  initial?: readonly string[];
  /** @default false */
  needsOne?: boolean;
}

/** What can be picked, and how it is called. */
export interface Option {
  value: string;
  label: string;
}

/**
 * Whoever can be asked, or undefined where nobody can.
 * @param over Fires when no answer is wanted any more: the question is taken back, and the reason shown in its place.
 */
export function questions(world: World, over?: AbortSignal): Questions | undefined {
  if (!world.terminal.stdin || !world.terminal.stderr) return undefined;
  const io: Asking = { ...world, ...(over && { over }) };
  return {
    confirm: (message) =>
      put(io, message, ({ confirm }, common) => confirm({ ...common, initialValue: false })).catch(
        (error: unknown) => {
          if (isDismissal(error)) return false;
          throw error;
        },
      ),
    async text(message, { secret = false, initial, filled, fault } = {}) {
      const words = initial === undefined || secret ? message : `${message} (default: ${initial})`;
      const standing = filled === undefined ? undefined : visibleLine(filled);
      // What is left as it stood there is what it was, however it had to be shown.
      const meant = (typed = "") => (typed === standing ? (filled ?? "") : typed);
      const answer = await put(io, words, (prompts, common) =>
        (secret ? prompts.password : prompts.text)({
          ...common,
          message: barred(common.message, prompts.S_BAR, io),
          ...(standing !== undefined && { initialValue: standing }),
          ...(fault && { validate: (text) => visible(fault(meant(text)) ?? "") || undefined }),
        }),
      );
      return answer === "" ? undefined : meant(answer);
    },
    pick: (message, options, initial) =>
      put(io, message, ({ select }, common) =>
        select({
          ...common,
          options: options.map(shown),
          ...(initial !== undefined && { initialValue: initial }),
        }),
      ),
    pickMany: (message, options, { initial = [], needsOne = false } = {}) =>
      put(io, message, ({ multiselect }, common) =>
        multiselect({
          ...common,
          options: options.map(shown),
          initialValues: [...initial],
          required: needsOne,
        }),
      ),
  };
}

/** A choice by its name, and by its value too where that is another. */
export function option(value: string, label: string): Option {
  return { value, label: label === value ? value : `${label} (${value})` };
}

/** Whether a question was left by Esc. */
export function isDismissal(error: unknown): boolean {
  return isHostError(error) && error.facts.dismissed === true;
}

// --- internal ---

type World = Pick<Io, "terminal" | "signal" | "status" | "interrupt" | "hold">;
type Asking = World & { over?: AbortSignal };
type Prompts = typeof import("@clack/prompts");

/** What all prompts are given. */
function commonOf(message: string) {
  return { message: visible(message), input: process.stdin, output: process.stderr };
}

/** A text over several lines beside the line that the prompts draw; they draw it beside the first alone. */
function barred(message: string, bar: string, { terminal }: Asking): string {
  const width = Math.max(terminal.columns, widthMin) - bar.length - 2;
  return fold(message, width).replaceAll("\n", `\n${bar}  `);
}

const widthMin = 20;

/** Puts one question, with the terminal to itself. @throws HostError `cancelled` */
async function put<T>(
  io: Asking,
  message: string,
  prompt: (prompts: Prompts, common: ReturnType<typeof commonOf>) => Promise<T>,
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
  let pressed: string | undefined;
  const hear = (_: unknown, key?: { name?: string }) => void (pressed = key?.name);
  process.stdin.on("keypress", hear);
  signal.addEventListener("abort", leave, { once: true });
  try {
    const answer = await prompt(prompts, commonOf(message));
    if (!prompts.isCancel(answer)) return answer as Exclude<T, symbol>;
    if (over?.aborted === true && !io.signal.aborted) throw takenBack(over);
    throw pressed === "escape" && !io.signal.aborted ? dismissed() : interrupted(io);
  } finally {
    signal.removeEventListener("abort", leave);
    process.stdin.off("keypress", hear);
    release?.();
  }
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

function shown({ value, label }: Option): Option {
  return { value, label: visible(label) };
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
