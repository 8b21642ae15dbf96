/**
 * The command line from its words to its exit status. A plain call, which is what most are, loads no more than that takes. It
 * never throws and never ends the process.
 */
import { begin } from "./plain/begin.ts";
import type { Begun } from "./plain/begin.ts";

/** Runs one command line (without the program's own name). Never rejects. */
export async function main(argv: string[]): Promise<number> {
  const begun = await begin(argv, Bun.env);
  const end = begun && (await callPlainly(begun));
  if (end !== undefined && "status" in end) return end.status;
  const { runLine } = await import("./line.ts");
  return await runLine(argv, end);
}

// --- internal ---

/** Where it is not plain to its end, what is left of it. */
async function callPlainly(begun: Begun) {
  if ("url" in begun) {
    const { callByPost } = await import("./plain/post.ts");
    return await callByPost(begun.line, begun.url, Bun.env);
  }
  const { callByPipe } = await import("./plain/pipe.ts");
  return (await callByPipe(begun.line, begun.started, Bun.env)) ?? begun.started;
}
