/**
 * Starts the server of `-- COMMAND` before the rest of us is loaded: it needs its time, and ours fits into that. Only where
 * nothing but the words behind `--` says how it is started; everywhere else the host starts it.
 */
import { heldLog } from "../base/log.ts";
import type { HeldLog } from "../base/log.ts";
import { userConfigNow } from "../config/paths.ts";
import { childEnv } from "../process/env.ts";
import { startReaper } from "../process/reaper.ts";
import { spawnChild } from "../process/spawn.ts";
import type { BegunProcess } from "./plain/begun.ts";
import type { Asked } from "./plain/post.ts";
import type { EarlyStart, Io, Parsed } from "./types.ts";

/** Undefined where the start needs more than this, or fails: then the host tries, and says why. */
export async function startEarly(
  { flags, rest }: Parsed,
  env: Io["env"],
): Promise<EarlyStart | undefined> {
  const [command, ...args] = rest ?? [];
  if (!command || Object.keys(flags).some((flag) => !harmless.has(flag))) return undefined;
  const own = flags["no-user-config"] === true ? undefined : userConfigNow(env);
  if (own !== undefined && (await (await import("./plain/document.ts")).mayForbid(own)))
    return undefined;
  const name = "server";
  const log = heldSteps();
  // First: a server that is started before it outlives us, if we are killed in between.
  const reaper = startReaper();
  try {
    const spec = { name, command, args, env: childEnv(env, { name }) };
    return { server: name, child: spawnChild(spec, { log: log.log, reaper }), reaper, log };
  } catch {
    reaper?.release();
    return undefined;
  }
}

/** What a plain call has begun, for the host. */
export function takeOver(begun: BegunProcess | Asked): EarlyStart {
  const log = heldSteps();
  if ("asked" in begun) return { ...begun, log };
  const { spec, process, reaper, known, config } = begun;
  const child = spawnChild(spec, { log: log.log, reaper }, process);
  return { server: spec.name, child, reaper, log, known, config };
}

/** Ends a server that nobody took over. */
export async function endEarly(early: EarlyStart): Promise<void> {
  if ("asked" in early) return;
  const { child, reaper } = early;
  if (reaper) reaper.release();
  else await child.stop();
}

// --- internal ---

/** Whoever wants to see our steps gives a flag that is not harmless. */
function heldSteps(): HeldLog {
  const held = heldLog();
  held.log.least = "info";
  return held;
}

/** Flags that say nothing about how a server is started, and cannot be wrong any more. */
const harmless = new Set(
  (
    "json quiet args no-validate strict output save events no-cache no-user-config stderr wait " +
    "allow-tool deny-tool ask-tool allow-all"
  ).split(" "),
);
