/**
 * The command line from its words to its exit status: finds the command, starts its server where nothing but the line
 * says how, and gives the rest to run.ts, which is loaded meanwhile. It never throws and never ends the process.
 */
import { cutLine } from "./args.ts";
import type { Line } from "./args.ts";
import { currentFolder } from "./folder.ts";
import { route } from "./route.ts";
import type { Begun } from "./run.ts";
import { terminals } from "./terminals.ts";

/** Runs one command line (without the program's own name). Never rejects. */
export async function main(argv: string[]): Promise<number> {
  const line = cutLine(argv);
  const begun = await begin(line);
  const { run } = await import("./run.ts");
  return await run(begun, line.words, terminals());
}

// --- internal ---

async function begin(line: Line): Promise<Begun> {
  try {
    const routed = await route(line);
    if (routed.kind !== "run") return routed;
    const cwd = currentFolder(routed.parsed.flags);
    return { ...routed, cwd, early: routed.command.early?.(routed.parsed, Bun.env) };
  } catch (error) {
    return { kind: "failed", error };
  }
}
