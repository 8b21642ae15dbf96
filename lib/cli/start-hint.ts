/**
 * Better hints for a server that did not start: a variable that it names, that we have and did not pass on; what its
 * command line tells (a docker without `-i`). Pure.
 */
import { HostError } from "../base/errors.ts";
import type { StdioServer } from "../config/types.ts";
import { childEnv } from "../process/env.ts";
import { commandFindings } from "./doctor-command.ts";
import { namedVariables } from "./doctor.ts";

/** The same error with a better hint, or the error itself where there is none. */
export function withStartHint(
  error: HostError,
  ours: Readonly<Record<string, string | undefined>>,
  server: StdioServer,
): HostError {
  const { stderr = [], errno, noise } = error.facts;
  const passed = Object.keys(childEnv(ours, server));
  const variables = namedVariables(stderr, Object.keys(ours), passed).ours;
  if (variables.length > 0) {
    const flags = variables.map((name) => `--env ${name}`).join(" ");
    const hint = `it names ${variables.join(", ")}, which is set here and was not passed on: ${flags}`;
    return hinted(error, hint, { variables });
  }
  // Why it was refused by the system, or what stands on its stdout, says more.
  if (errno !== undefined || noise !== undefined) return error;
  const { command, args, cwd = "" } = server;
  const started = { command, args, path: command, searched: "", cwd, cwdExists: true, env: passed };
  const [finding] = commandFindings({ name: server.name, ourEnv: [], started, error });
  // What only may be the reason is no better than what the server said.
  if (!finding || (finding.level === "warn" && stderr.length > 0)) return error;
  return hinted(error, [finding.text, finding.hint].join("; "), {});
}

// --- internal ---

function hinted(error: HostError, hint: string, more: Record<string, unknown>): HostError {
  const { code, message, facts, cause } = error;
  return new HostError(code, message, { facts: { ...facts, ...more }, hint, cause });
}
