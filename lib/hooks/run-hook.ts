/**
 * One hook of one plugin, run: within its time, and with every fault of it made into an error that names plugin, hook and
 * call. It judges no answer.
 */
import { timerMsMax } from "../base/async.ts";
import { HostError, isHostError } from "../base/errors.ts";
import type { Facts } from "../base/errors.ts";
import { shownValue, thrownText } from "./frozen.ts";
import type { HookName, Hooks, Plugin } from "./plugin.ts";

/** A hook that is there, and whose it is. */
export interface Hooked<Name extends HookName> {
  plugin: string;
  hook: Name;
  run: NonNullable<Hooks[Name]>;
}

/** What a hook is run about. */
export interface Occasion {
  /** In words, behind the name of the hook: ` of write of server "fs"`. @default nothing */
  about?: string;
  facts?: Facts;
  timeoutMs: number;
  /** Gives up the wait, with its reason. */
  signal?: AbortSignal | undefined;
}

/** The hooks of a name, in the order of their plugins. */
export function hooksOf<Name extends HookName>(
  plugins: readonly Plugin[],
  hook: Name,
): Hooked<Name>[] {
  return plugins.flatMap(({ name: plugin, hooks }) => {
    const run = hooks?.[hook] as Hooked<Name>["run"] | undefined;
    return run === undefined ? [] : [{ plugin, hook, run: run.bind(hooks) as Hooked<Name>["run"] }];
  });
}

/**
 * The answer of a hook, at once where it gives it at once; undefined where it says nothing. It never throws: a promise
 * rejects with a HostError `denied` where it threw or took too long, or with the reason of `signal`, a `HostError` with plugin
 * and hook in its facts.
 */
export function answerOf<Name extends HookName, T>(
  hook: Hooked<Name>,
  occasion: Occasion,
  run: (hook: Hooked<Name>) => T,
): Awaited<T> | undefined | Promise<Awaited<T> | undefined> {
  let answer: T;
  let isPromise: boolean;
  try {
    answer = run(hook);
    if (answer === undefined || answer === null) return undefined;
    isPromise = isThenable(answer);
  } catch (error) {
    return Promise.reject(threw(hook, occasion, error));
  }
  return isPromise ? within(answer, hook, occasion) : (answer as Awaited<T>);
}

/** Why an answer is none. */
export function nonsense(
  hook: Pick<Hooked<HookName>, "plugin" | "hook">,
  occasion: Pick<Occasion, "about" | "facts">,
  { found, expected }: { found: unknown; expected: string },
): HostError {
  return fault(hook, occasion, `returned ${shownValue(found)}: expected ${expected}`);
}

/** What a hook did wrong. */
export function fault(
  { plugin, hook }: Pick<Hooked<HookName>, "plugin" | "hook">,
  { about = "", facts = {} }: Pick<Occasion, "about" | "facts">,
  text: string,
  cause?: unknown,
): HostError {
  return new HostError("denied", `plugin ${JSON.stringify(plugin)}: ${hook}${about} ${text}`, {
    facts: { ...facts, plugin, hook },
    ...(cause !== undefined && { cause }),
  });
}

// --- internal ---

/** What whoever awaits it would wait for, beyond its time. @throws what a Proxy throws */
function isThenable(value: unknown): boolean {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  return isObject && "then" in value;
}

function threw(
  hook: Pick<Hooked<HookName>, "plugin" | "hook">,
  occasion: Occasion,
  error: unknown,
): HostError {
  return fault(hook, occasion, `threw: ${thrownText(error)}`, error);
}

/** Why the wait is over, with what was waited for. */
function interrupted(
  { plugin, hook }: Pick<Hooked<HookName>, "plugin" | "hook">,
  { facts }: Occasion,
  reason: unknown,
): unknown {
  if (!isHostError(reason)) return reason;
  const { code, message, hint } = reason;
  return new HostError(code, message, {
    facts: { ...facts, ...reason.facts, plugin, hook },
    ...(hint !== undefined && { hint }),
    cause: reason,
  });
}

/** What comes of it later is nobody's any more. */
async function within<T>(
  answer: T,
  hook: Pick<Hooked<HookName>, "plugin" | "hook">,
  occasion: Occasion,
): Promise<Awaited<T>> {
  const { timeoutMs, signal } = occasion;
  const { promise: given, resolve, reject } = Promise.withResolvers<Awaited<T>>();
  const late = () => {
    const { about = "", facts: known } = occasion;
    const facts = { ...known, option: "hookTimeoutMs", timeoutMs };
    reject(fault(hook, { about, facts }, `gave no answer within ${timeoutMs} ms`));
  };
  const onAbort = () => reject(interrupted(hook, occasion, signal?.reason));
  const timer = setTimeout(late, Math.min(timeoutMs, timerMsMax));
  // Whatever is asked of a promise that is not ours may throw.
  const awaited = new Promise<Awaited<T>>((settle) => settle(answer as Awaited<T>));
  awaited.then(resolve, (error: unknown) => reject(threw(hook, occasion, error)));
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await given;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
