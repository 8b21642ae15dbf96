/**
 * A plain call: a line of one server and no other flag, no config but of servers, nobody at a terminal, and a server that
 * answers at once and as plainly as can be. No rule, no plugin, no record and no question can be about it, so it is done here,
 * with a fraction of what the host needs; the host gets all others, and goes on from what was said.
 */
import { verdictKey, verdictStore } from "../../client/eras.ts";
import { mayHaveKeptLists, ourPaths } from "../../config/paths.ts";
import type { LinkKind } from "../../protocol/probe.ts";
import { afterCall, stdoutSink, terminals } from "../io.ts";
import type { Io, KnownEra } from "../types.ts";
import { Talk } from "./talk.ts";
import type { PlainCall, TalkEnd } from "./talk.ts";

/** How it ended; undefined where the host must go on. */
export type PlainEnd = { status: number } | { error: unknown } | undefined;

/** How a server is spoken with. */
export interface PlainLink {
  kind: LinkKind;
  /** By what its era is remembered. */
  server: Parameters<typeof verdictKey>[0];
  /** What was remembered: the host has to say the same. Set before anything is said. */
  known?: KnownEra;
  /** Says all that is to be said; undefined where the host must go on. */
  converse(talk: Talk, soon: Soon): Promise<TalkEnd | undefined>;
  /** Says goodbye, when the result is printed. */
  leave?(soon: Soon): Promise<void>;
}

/** Makes a call, if all of it is plain. Never rejects. */
export async function callPlainly(
  call: PlainCall,
  link: PlainLink,
  env: Io["env"],
): Promise<PlainEnd> {
  const { cache } = ourPaths(env);
  if (cache === undefined || isWatched()) return undefined;
  const key = verdictKey(link.server);
  const verdicts = verdictStore({ folder: cache });
  const before = await verdicts.read(key);
  if (before?.transport === "sse" || (before?.era !== "legacy" && mayHaveKeptLists(env)))
    return undefined;
  link.known = { key, verdict: before };
  const soon = new Soon();
  const end = await link.converse(new Talk(call, before, link.kind), soon);
  if (end === undefined) return undefined;
  try {
    await stdoutSink().write(end.text);
  } catch (error) {
    return { error: afterCall(error) };
  }
  await link.leave?.(soon);
  if (end.verdict !== before) await verdicts.note(key, end.verdict);
  return { status: 0 };
}

/** What is waited for in a plain call, all together no longer than nobody minds; it begins when it is made. */
export class Soon {
  readonly #late = Promise.withResolvers<undefined>();

  constructor() {
    setTimeout(() => this.#late.resolve(undefined), soonMs);
  }

  /**
   * What `promise` resolves with; undefined where the time is over, and where it failed: whoever asks it again hears why.
   * What `Promise.race` is made of is compiled first.
   */
  of<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      promise.then(resolve, () => resolve(undefined));
      void this.#late.promise.then(resolve);
    });
  }
}

// --- internal ---

/** Whoever waits longer for a server does not see what the host takes. */
const soonMs = 50;

/** A person sees what is going on, and is asked. */
function isWatched(): boolean {
  const { stdin, stdout, stderr } = terminals();
  return stdout || (stdin && stderr);
}
