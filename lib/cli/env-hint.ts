/**
 * A server that ends at start often names the variable that it lacks. Where we have that variable and did not pass it on,
 * the error says which flag does. Pure.
 */
import { HostError } from "../base/errors.ts";
import type { StdioServer } from "../config/types.ts";
import { childEnv } from "../process/env.ts";
import { namedVariables } from "./doctor.ts";

/** The same error with a better hint, or the error itself where there is none. */
export function withEnvHint(
  error: HostError,
  ours: Readonly<Record<string, string | undefined>>,
  server: StdioServer,
): HostError {
  const { stderr } = error.facts;
  if (!Array.isArray(stderr) || stderr.length === 0) return error;
  const named = namedVariables(stderr, Object.keys(ours), Object.keys(childEnv(ours, server)));
  if (named.ours.length === 0) return error;
  const flags = named.ours.map((name) => `--env ${name}`).join(" ");
  return new HostError(error.code, error.message, {
    facts: { ...error.facts, variables: named.ours },
    hint: `it names ${named.ours.join(", ")}, which is set here and was not passed on: ${flags}`,
    cause: error.cause,
  });
}
