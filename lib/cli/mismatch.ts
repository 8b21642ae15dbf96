/**
 * A result that is not what its tool promised (`outputMismatch`), in words: a warning, or with `--strict` an
 * error. The result itself is left as it came. Loaded where there is one.
 */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { OutputProblem } from "../hooks/call.ts";
import type { Parsed } from "./types.ts";

export interface Mismatch {
  /** Undefined where the tool was not asked for first. */
  server: string | undefined;
  /** The tool's own name. */
  tool: string;
  problems: readonly OutputProblem[];
}

/** Says it on stderr, for stdout has the bytes of the result and nothing of ours. Returns the error that `--strict` makes of it. */
export function tellMismatch(
  mismatch: Mismatch,
  { parsed: { flags }, log }: { parsed: Parsed; log: Log },
): HostError | undefined {
  const { server, tool, problems } = mismatch;
  const text = textOf(mismatch);
  const facts = { outputMismatch: problems, tool };
  const about = server === undefined ? {} : { server };
  if (flags["strict"] === true)
    return new HostError("tool_error", text, {
      facts: { ...facts, ...about },
      hint: "the call itself was done; without --strict this is a warning",
    });
  log({ level: "warn", ...about, text, facts });
  return undefined;
}

// --- internal ---

function textOf({ tool, problems }: Mismatch): string {
  const texts = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return `the structured result of ${tool} does not fit its outputSchema: ${texts.join("; ")}`;
}
