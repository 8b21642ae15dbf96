/** Words and flags of the commands that decide about calls: ids by their beginnings, arguments, "always". */
import { HostError } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Always } from "../store/types.ts";
import { durationOf, textOf } from "./flags.ts";
import type { FlagTable, Parsed } from "./types.ts";

export const alwaysFlags: FlagTable = {
  args: {
    type: "string",
    valueHint: "JSON",
    description: "approve it with these arguments in place of those that it has",
  },
  always: {
    type: "string",
    valueHint: "WHAT",
    description:
      "from now on allow the tool, the tool with these arguments, every tool of the server, or the tool in this session: tool, arguments, server or session",
  },
  for: { type: "string", valueHint: "DURATION", description: "with --always: only for so long" },
};

const kinds = ["tool", "arguments", "server", "session"] as const;

/** @throws HostError `usage` */
export function alwaysOf(flags: Parsed["flags"]): Always | undefined {
  const text = textOf(flags["always"]);
  const forMs = durationOf(flags, "for");
  if (text === undefined) {
    if (forMs === undefined) return undefined;
    throw new HostError("usage", "--for needs --always");
  }
  const what = kinds.find((kind) => kind === text);
  if (what === undefined)
    throw new HostError("usage", `--always ${text} is none of ${kinds.join(", ")}`);
  return { what, ...(forMs !== undefined && { forMs }) };
}

/** @throws HostError `usage` */
export function argumentsOf(flags: Parsed["flags"]): JsonObject | undefined {
  const text = textOf(flags["args"]);
  if (text === undefined) return undefined;
  try {
    const value = parseJson(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new HostError("usage", `--args is no JSON: ${(cause as Error).message}`, { cause });
  }
  throw new HostError("usage", "--args must be a JSON object");
}

/** The id that begins so. @throws HostError `usage`: none does, several do, or nothing is given */
export function longerId(given: string, ids: readonly string[], hint: string): string {
  // Every id begins so: a variable that is not set would decide about whatever is there.
  if (given.trim() === "") throw new HostError("usage", "the ID is empty", { hint });
  const found = ids.filter((id) => id === given || id.startsWith(given));
  const [only] = found;
  if (only !== undefined && (found.length === 1 || found.includes(given)))
    return found.includes(given) ? given : only;
  const what = only === undefined ? "no id begins" : `${found.length} ids begin`;
  throw new HostError("usage", `${what} with ${JSON.stringify(given)}`, { hint });
}
