/** Which events of the audit log are wanted, as the flags of `log` say it. Pure but for the clock of "ago". */
import { HostError } from "../base/errors.ts";
import { matchesGlob } from "../base/glob.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { parseDuration } from "../config/duration.ts";
import type { Actor, Outcome } from "../hooks/call.ts";
import type { AuditFilter } from "../store/audit.ts";
import type { AuditEvent, AuditRow } from "../store/types.ts";
import { textOf } from "./flags.ts";
import type { Parsed } from "./types.ts";

export interface Wanted {
  filter: AuditFilter;
  /** What the database is not asked for. */
  matches: (row: AuditRow) => boolean;
}

export const actors: readonly Actor[] = ["user", "script", "model", "gateway"];
export const events: readonly AuditEvent["event"][] = [
  "proposed",
  "decided",
  "sent",
  "answered",
  "failed",
  "granted",
  "revoked",
  "acknowledged",
  "refused",
];
export const outcomes: readonly (Outcome["status"] | "allowed" | "approved" | "asked")[] = [
  "allowed",
  "asked",
  "approved",
  "denied",
  "completed",
  "failed",
  "cancelled",
  "uncertain",
  "detached",
  "input_required",
];

/** @throws HostError `usage` */
export function filterOf(flags: Parsed["flags"]): Wanted {
  const event = wordOf(flags, "event", events);
  const actor = wordOf(flags, "actor", actors);
  const outcome = wordOf(flags, "outcome", outcomes);
  const call = textOf(flags["call"]);
  const tool = textOf(flags["tool"]);
  const times = { since: timeOf(flags, "since"), until: timeOf(flags, "until") };
  const texts = ["server", "owner"].map((name) => [name, textOf(flags[name])]);
  const filter = Object.fromEntries(
    [...texts, ...Object.entries({ actor, outcome, event, ...times })].filter(
      ([, value]) => value !== undefined,
    ),
  ) as AuditFilter;
  return {
    filter,
    matches: (row) =>
      (call === undefined || row.call.startsWith(call)) &&
      (tool === undefined || namesOf(row).some((name) => matchesGlob(tool, name))),
  };
}

// --- internal ---

function namesOf({ server, tool }: AuditRow): string[] {
  return tool === undefined ? [] : [tool, `${server}.${tool}`, `${server}_${tool}`];
}

/** What is never written down is a mistake. @throws HostError `usage` */
function wordOf(
  flags: Parsed["flags"],
  name: string,
  words: readonly string[],
): string | undefined {
  const text = textOf(flags[name]);
  if (text === undefined || words.includes(text)) return text;
  throw new HostError("usage", `--${name} ${text} is none that is written down`, {
    hint: didYouMean(nearest(text, words)) ?? `there is ${words.join(", ")}`,
  });
}

/** A date, or how long ago. @throws HostError `usage` */
function timeOf(flags: Parsed["flags"], name: string): number | undefined {
  const text = textOf(flags[name]);
  if (text === undefined) return undefined;
  const ago = parseDuration(text);
  const at = ago === undefined ? Date.parse(text) : Date.now() - ago;
  if (!Number.isNaN(at)) return at;
  throw new HostError("usage", `--${name} ${text} is no time`, {
    hint: "write a date such as 2026-11-30 or 2026-11-30T08:00, or how long ago: 30m, 2h",
  });
}
