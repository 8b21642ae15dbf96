/**
 * A plain call: a line of one server and no other flag, no config of the user's, nobody at a terminal, and a server that
 * answers at once and as plainly as can be. No rule, no plugin, no record and no question can be about it, so it is done here,
 * with a fraction of what the host needs; the host gets all others, and goes on from what was said.
 */
import { silent } from "../../base/log.ts";
import type { Verdict } from "../../client/connect-types.ts";
import { verdictKey, verdictStore } from "../../client/eras.ts";
import { mayHaveUserConfig } from "../../config/find.ts";
import { ourPaths } from "../../config/paths.ts";
import { afterCall } from "../ending.ts";
import { stdoutSink } from "../io.ts";
import { isAnyKept } from "../kept-folder.ts";
import { terminals } from "../terminals.ts";
import type { Io } from "../types.ts";
import type { Begun } from "./begin.ts";
import { converseByPipe } from "./pipe.ts";
import type { Asked } from "./post.ts";
import { Soon } from "./soon.ts";
import { Talk } from "./talk.ts";
import type { TalkEnd } from "./talk.ts";

/** How it ended, or what was asked; undefined where the host must go on from what was begun. */
export type PlainEnd = { status: number } | { error: unknown } | Asked | undefined;

/** Makes the call that was begun, if all else is plain as well. Never rejects. */
export async function callPlainly(begun: Begun, env: Io["env"]): Promise<PlainEnd> {
  const { cache } = ourPaths(env);
  if (cache === undefined || mayHaveUserConfig(env) || isWatched()) return undefined;
  const { server } = begun.line;
  const key = verdictKey("url" in server ? { ...server, transport: "auto" } : server);
  const verdicts = verdictStore({ folder: cache, log: silent });
  const before = await verdicts.read(key);
  if (before?.transport === "sse" || (before?.era !== "legacy" && isAnyKept(env))) return undefined;
  using soon = new Soon();
  const end = await converse(begun, before, soon);
  if (end === undefined || "asked" in end) return end;
  try {
    await stdoutSink().write(end.text);
  } catch (error) {
    return { error: afterCall(error) };
  }
  await end.leave?.();
  if (end.verdict !== before) await verdicts.write(key, end.verdict);
  return { status: 0 };
}

// --- internal ---

/** What only one of the two needs is loaded for that. */
async function converse(
  { line, started }: Begun,
  before: Verdict | undefined,
  soon: Soon,
): Promise<(TalkEnd & { leave?: () => Promise<void> }) | Asked | undefined> {
  if (started !== undefined)
    return await converseByPipe(new Talk(line, before), started.process, soon);
  if (!("url" in line.server)) return undefined;
  const { converseByPost } = await import("./post.ts");
  return await converseByPost(new Talk(line, before, "http"), line.server.url, soon);
}

/** A person sees what is going on, and is asked. */
function isWatched(): boolean {
  const { stdin, stdout, stderr } = terminals();
  return stdout || (stdin && stderr);
}
