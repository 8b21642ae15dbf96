/** When a command works on several servers: each one that failed is named on stderr, and the exit status says so. */
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import { report } from "./report.ts";
import type { Io, Parsed } from "./types.ts";

export interface Failure {
  server: string;
  error: HostError;
}

/**
 * Names the failures. Returns 3 if a server failed, 2 if only its configuration did, 0 if it is only not trusted
 * (cli.md, exit codes).
 */
export async function reportFailures(
  failures: readonly Failure[],
  { flags }: Pick<Parsed, "flags">,
  io: Pick<Io, "stderr" | "terminal">,
): Promise<number> {
  const options = {
    json: flags["json"] === true,
    debug: flags["log-level"] === "debug",
    terminal: io.terminal.stderr,
  };
  for (const { error } of failures) await io.stderr.write(report(error, options));
  return Math.max(0, ...failures.map(({ error }) => severity(error)));
}

// --- internal ---

function severity(error: HostError): number {
  if (!isHostError(error)) return 3;
  if (error.code === "denied") return 0;
  return error.code === "config" || error.code === "usage" ? 2 : 3;
}
