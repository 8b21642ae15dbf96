/**
 * Why something was not found, or did not work: with what the command line knows besides. Loaded where something did not.
 */
import { HostError, isHostError } from "../base/errors.ts";
import { methodNotFound } from "../protocol/jsonrpc.ts";
import { oldWayHint } from "./old-ways.ts";
import type { Opened } from "./open.ts";

/**
 * What to throw: a name that nobody knows may be one of a server whose entry could not be read. Where it must be, that is
 * what is wrong; where it may be, that is said, too.
 */
export async function cause(error: unknown, opened: Opened, tool: string): Promise<unknown> {
  const { failures, config, explain } = opened;
  if (isHostError(error) && error.facts.rpcCode !== undefined && error.hint === undefined) {
    const oldWay = oldWayHint(error.message, error.facts.server, opened.host.servers());
    if (oldWay !== undefined) return withHints(error, [oldWay]);
    if (error.facts.rpcCode === methodNotFound) return withHints(error, [notOffered]);
  }
  if (!isHostError(error) || (error.code !== "usage" && error.code !== "denied"))
    return await explain(error);
  const meant = failures.find(({ server }) => isOf(server, tool));
  if (meant !== undefined) return meant.error;
  const isUnknown = error.code === "usage" && Array.isArray(error.facts["nearest"]);
  const off = config.servers.find(({ name, disabled }) => disabled === true && isOf(name, tool));
  if (isUnknown && off !== undefined)
    return new HostError("usage", `server "${off.name}" is disabled`, {
      facts: { ...error.facts, server: off.name },
      hint: "its entry says so: take `disabled` out of it",
      cause: error,
    });
  const [first, ...others] = failures.map((failure) => failure.error);
  if (first !== undefined && config.servers.every(({ disabled }) => disabled === true))
    return withHints(first, others.map(notListed));
  if (!Array.isArray(error.facts["nearest"])) return error;
  const { nearest, tool: unknown } = error.facts;
  const isFar = unknown !== undefined && nearest.length === 0;
  return withHints(error, [
    ...(isFar ? [shown] : []),
    ...failures.map(({ error: one }) => notListed(one)),
    ...(isFar && !opened.isAnswered ? [hidden] : []),
  ]);
}

// --- internal ---

const notOffered = "the server does not offer that";

const shown = "mcphost tools shows what there is";

const hidden =
  "servers may hide tools from whom they cannot ask: --elicit JSON, decline or cancel answers them";

/** The name of a tool begins with that of the server. */
function isOf(server: string, tool: string): boolean {
  return tool.startsWith(server) && /[._/]/.test(tool[server.length] ?? "");
}

function notListed({ message }: HostError): string {
  return `not listed: ${message}`;
}

function withHints(error: HostError, more: readonly string[]): HostError {
  if (more.length === 0) return error;
  const { code, message, facts, hint } = error;
  const hints = hint === undefined ? more : [hint, ...more];
  return new HostError(code, message, { facts, hint: hints.join("; "), cause: error });
}
