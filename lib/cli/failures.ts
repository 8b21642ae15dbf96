/** When a command works on several servers: each one that failed is named on stderr, and the exit status says so. */
import { exitCodeOf, isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import { report } from "./report.ts";
import type { Io, Parsed } from "./types.ts";

export interface Failure {
  server: string;
  error: HostError;
}

/**
 * Names the failures. Returns 3 if a server failed, 2 if only its configuration did, 7 if all that is wrong is that a
 * sign-in is needed, 0 if one is only not trusted (cli.md, exit codes).
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
  return statusOf(failures.map(({ error }) => severity(error)));
}

/** The exit status where several things are wrong: a server that fails is the worst. */
export function statusOf(statuses: Iterable<number>): number {
  const wrong = new Set(statuses);
  wrong.delete(0);
  const [only = 0, ...others] = wrong;
  return others.length === 0 ? only : 3;
}

// --- internal ---

function severity(error: HostError): number {
  if (!isHostError(error)) return 3;
  if (error.code === "denied") return 0;
  if (error.code === "auth_required") return exitCodeOf(error);
  return error.code === "config" || error.code === "usage" ? 2 : 3;
}
