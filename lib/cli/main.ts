/**
 * The command line from its words to its exit status. A plain call, which is what most are, loads no more than that takes. It
 * never throws and never ends the process.
 */
import { begin } from "./plain/begin.ts";

/** Runs one command line (without the program's own name). Never rejects. */
export async function main(argv: string[]): Promise<number> {
  const begun = begin(argv, Bun.env);
  const end = begun && (await (await import("./plain/call.ts")).callPlainly(begun, Bun.env));
  if (end !== undefined && "status" in end) return end.status;
  const { runLine } = await import("./line.ts");
  return await runLine(argv, end ?? begun?.started);
}
