/**
 * A result that is not what its tool promised (`outputMismatch`), in words: a warning, one JSON line beside `--json`, or
 * with `--strict` an error. The result itself is left as it came. Loaded where there is one.
 */
import { HostError } from "../base/errors.ts";
import type { OutputProblem } from "../hooks/call.ts";
import type { Io } from "./types.ts";
import { visible } from "./visible.ts";

export interface Mismatch {
  /** Undefined where the tool was not asked for first. */
  server: string | undefined;
  /** The tool's own name. */
  tool: string;
  problems: readonly OutputProblem[];
}

/** Says it on stderr. stdout has the bytes of the result, and nothing of ours. */
export async function warnOfMismatch(
  mismatch: Mismatch,
  { json }: { json: boolean },
  { stderr, terminal }: Pick<Io, "stderr" | "terminal">,
): Promise<void> {
  const { server, tool, problems } = mismatch;
  const from = server === undefined ? "" : `[${server}] `;
  const line = json
    ? JSON.stringify({ outputMismatch: problems, server, tool })
    : `mcphost: warning: ${from}${textOf(mismatch)}`;
  await stderr.write(`${terminal.stderr ? visible(line) : line}\n`);
}

/** What `--strict` makes of it. */
export function mismatchError(mismatch: Mismatch): HostError {
  const { server, tool, problems } = mismatch;
  return new HostError("tool_error", textOf(mismatch), {
    facts: { ...(server !== undefined && { server }), tool, outputMismatch: problems },
    hint: "the call itself was done; without --strict this is a warning",
  });
}

// --- internal ---

function textOf({ tool, problems }: Mismatch): string {
  const texts = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return `the structured result of ${tool} does not fit its outputSchema: ${texts.join("; ")}`;
}
