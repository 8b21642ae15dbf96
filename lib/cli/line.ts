/**
 * A command line by the host, from its words to its exit status: finds the command, starts its server where nothing but the
 * line says how, and gives the rest to run.ts, which is loaded meanwhile.
 */
import { cutLine } from "./args.ts";
import type { Line } from "./args.ts";
import { endEarly, takeOver } from "./early.ts";
import { currentFolder } from "./folder.ts";
import { terminals } from "./io.ts";
import type { BegunProcess } from "./plain/begun.ts";
import { mayBeNoText } from "./plain/line.ts";
import type { Asked } from "./plain/post.ts";
import { route } from "./route.ts";
import type { Begun } from "./run.ts";

/** What a plain call left: its server, or an error to tell of; nothing where it was none. */
type Left = BegunProcess | Asked | { error: unknown } | undefined;

/** Runs one line (without the program's own name). Never rejects. */
export async function runLine(argv: string[], left: Left): Promise<number> {
  const line = cutLine(argv);
  const begun = await begin(argv, line, left);
  const { run } = await import("./run.ts");
  return await run(begun, line.words, terminals());
}

// --- internal ---

async function begin(argv: string[], line: Line, left: Left): Promise<Begun> {
  if (left !== undefined && "error" in left) return { kind: "failed", error: left.error };
  const taken = left && takeOver(left);
  try {
    if (mayBeNoText(argv)) await (await import("./word-bytes.ts")).checkBytes(argv);
    const routed = await route(line);
    if (routed.kind !== "run") return routed;
    const cwd = currentFolder(routed.parsed.flags);
    return {
      ...routed,
      cwd,
      early: taken ?? (await routed.command.early?.(routed.parsed, Bun.env)),
    };
  } catch (error) {
    if (taken) await endEarly(taken);
    return { kind: "failed", error };
  }
}
