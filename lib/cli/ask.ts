/**
 * Questions to the person at the terminal, on stderr. They exist only where stdin and stderr are terminals: elsewhere
 * `questions` is undefined, and whoever needs an answer takes the safe one and names the flag that would have given it.
 */
import { isHostError } from "../base/errors.ts";
import { type Asking, put } from "./ask-put.ts";
import { fold } from "./fit.ts";
import { visible, visibleLine } from "./visible.ts";

/** Every question but `confirm` @throws HostError `cancelled` with `dismissed` among its facts on Esc and Ctrl-D. */
export interface Questions {
  /** Yes or no; no is what Enter, Esc and Ctrl-D give. @throws HostError `cancelled` on Ctrl-C */
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
export function questions(world: Omit<Asking, "over">, over?: AbortSignal): Questions | undefined {
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

/** Whether a question was left by Esc or Ctrl-D. */
export function isDismissal(error: unknown): boolean {
  return isHostError(error) && error.facts.dismissed === true;
}

// --- internal ---

/** A text over several lines beside the line that the prompts draw; they draw it beside the first alone. */
function barred(message: string, bar: string, { terminal }: Asking): string {
  const width = Math.max(terminal.columns, widthMin) - bar.length - 2;
  return fold(message, width).replaceAll("\n", `\n${bar}  `);
}

const widthMin = 20;

function shown({ value, label }: Option): Option {
  return { value, label: visible(label) };
}
