/**
 * A result that is not what its tool promised (`outputMismatch`), in words: a warning, one JSON line beside `--json`, or
 * with `--strict` an error. The result itself is left as it came. Loaded where there is one.
 */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { OutputProblem } from "../hooks/call.ts";
import type { Io, Parsed } from "./types.ts";
import { visible } from "./visible.ts";

export interface Mismatch {
  /** Undefined where the tool was not asked for first. */
  server: string | undefined;
  /** The tool's own name. */
  tool: string;
  problems: readonly OutputProblem[];
}

/** Says it on stderr, for stdout has the bytes of the result and nothing of ours. Returns the error that `--strict` makes of it. */
export async function tellMismatch(
  mismatch: Mismatch,
  { parsed: { flags }, io, log }: { parsed: Parsed; io: Io; log: Log },
): Promise<HostError | undefined> {
  const { server, tool, problems } = mismatch;
  const text = textOf(mismatch);
  const about = { outputMismatch: problems, ...(server !== undefined && { server }), tool };
  if (flags["strict"] === true)
    return new HostError("tool_error", text, {
      facts: about,
      hint: "the call itself was done; without --strict this is a warning",
    });
  if (flags["json"] !== true) log({ level: "warn", ...(server !== undefined && { server }), text });
  else if (flags["quiet"] !== true) {
    const line = JSON.stringify(about);
    await io.stderr.write(`${io.terminal.stderr ? visible(line) : line}\n`);
  }
  return undefined;
}

// --- internal ---

function textOf({ tool, problems }: Mismatch): string {
  const texts = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return `the structured result of ${tool} does not fit its outputSchema: ${texts.join("; ")}`;
}
