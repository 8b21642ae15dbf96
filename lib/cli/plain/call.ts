/**
 * A plain call: a line without flags, no config of the user's, nobody at a terminal, and a server that answers at once and as
 * plainly as can be. No rule, no plugin, no record and no question can be about it, so it is done here, with a fraction of
 * what the host needs; the host gets all others, and goes on from what was said (`Ahead`).
 */
import { silent } from "../../base/log.ts";
import { verdictKey, verdictStore } from "../../client/eras.ts";
import { mayHaveUserConfig } from "../../config/find.ts";
import { ourPaths } from "../../config/paths.ts";
import type { Ahead } from "../../process/ahead.ts";
import type { Read } from "../../process/run.ts";
import { afterCall } from "../ending.ts";
import { stdoutSink } from "../io.ts";
import { isAnyKept } from "../kept-folder.ts";
import { terminals } from "../terminals.ts";
import type { Io } from "../types.ts";
import type { Begun } from "./begin.ts";
import { Talk } from "./talk.ts";

/** How it ended; undefined where the host must go on. */
export type PlainEnd = { status: number } | { error: unknown } | undefined;

/** Makes the call that was begun, if all else is plain as well. Never rejects. */
export async function callPlainly(begun: Begun, env: Io["env"]): Promise<PlainEnd> {
  const { line, spec, process } = begun;
  const { cache } = ourPaths(env);
  if (cache === undefined || mayHaveUserConfig(env) || isWatched()) return undefined;
  const key = verdictKey(line);
  const verdicts = verdictStore({ folder: cache, log: silent });
  const before = await verdicts.read(key);
  if (before?.era !== "legacy" && isAnyKept(env)) return undefined;
  const end = await converse(new Talk({ ...line, server: spec.name }, before), process);
  if (end === undefined) return undefined;
  try {
    await stdoutSink().write(end.text);
  } catch (error) {
    return { error: afterCall(error) };
  }
  if (end.verdict !== before) await verdicts.write(key, end.verdict);
  return { status: 0 };
}

// --- internal ---

/** Whoever waits longer for a server does not see what the host takes. */
const plainMs = 50;
/** A pipe takes that at once. */
const sendBytesMax = 16_384;
const heardBytesMax = 1_048_576;

/** A person sees what is going on, and is asked. */
function isWatched(): boolean {
  const { stdin, stdout, stderr } = terminals();
  return stdout || (stdin && stderr);
}

/** Undefined where the host must go on. */
async function converse(talk: Talk, process: Ahead) {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), plainMs);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    process.send(talk.begin());
    for (;;) {
      const read = await first(process.read(), late.promise);
      if (read === undefined || read.done) return undefined;
      text += decoder.decode(read.value, { stream: true });
      if (text.length > heardBytesMax) return undefined;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        const step = talk.heard(text.slice(0, end));
        text = text.slice(end + 1);
        if (step === undefined) return undefined;
        if ("text" in step) return step;
        if (step.send.length > sendBytesMax) return undefined;
        if (step.send !== "") process.send(step.send);
      }
    }
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Whichever is there first; undefined where the reading failed, too. What `Promise.race` is made of is compiled first. */
function first(reading: Promise<Read>, late: Promise<undefined>): Promise<Read | undefined> {
  return new Promise((resolve) => {
    reading.then(resolve, () => resolve(undefined));
    void late.then(resolve);
  });
}
