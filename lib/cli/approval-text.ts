/** Calls that wait, and grants, in words. What callers and servers say is made visible, and never looks like ours. Pure. */
import { clip } from "../base/clip.ts";
import type { JsonObject } from "../base/json.ts";
import type { Approval, Grant, JournalEntry } from "../store/types.ts";
import { localTime } from "./audit-line.ts";
import { visible, visibleLine } from "./visible.ts";

/** One line: id, what, with which arguments, who asked, why. */
export function approvalLine(approval: Approval): string {
  const { id, server, tool, proposed, effective = proposed, actor, owner, createdAt } = approval;
  const who = owner === "default" ? actor : `${actor} of ${owner}`;
  const args = JSON.stringify(effective);
  const words = [id.slice(0, 8), localTime(createdAt), `${server}.${tool}`, args, `(${who})`];
  return visibleLine([...words, approval.reason ?? approval.result ?? ""].join("  ").trimEnd());
}

export function uncertainLine({ id, server, tool, owner, at }: JournalEntry): string {
  const who = owner === "default" ? "" : `  (of ${owner})`;
  return visibleLine(`${id.slice(0, 8)}  ${localTime(at)}  ${server}.${tool}${who}`);
}

/** All that a person must see before deciding. */
export function approvalText(approval: Approval, definition: JsonObject | undefined): string {
  const { id, state, server, tool, owner, actor, question, proposed, effective } = approval;
  const { createdAt, expiresAt, decidedAt, decidedBy, reason, result } = approval;
  const { description } = definition ?? {};
  const lines = [
    `call      ${id}, ${state}`,
    `tool      ${tool} of server "${server}"`,
    `asked by  ${actor}${owner === "default" ? "" : ` of ${owner}`}, ${localTime(createdAt)}`,
    `why       ${question}`,
    ...(state === "pending" ? [`until     ${localTime(expiresAt)}`] : []),
    ...(decidedBy === undefined ? [] : [`decided   by ${decidedBy}, ${localTime(decidedAt ?? 0)}`]),
    ...(reason === undefined || reason === "" ? [] : [`reason    ${reason}`]),
    ...(result === undefined ? [] : [`result    ${result}`]),
  ].map(visibleLine);
  if (typeof description === "string")
    lines.push("it says of itself:", ...barred(clip(description, describedMax)));
  lines.push("arguments:", ...barred(JSON.stringify(proposed, undefined, 2)));
  if (effective !== undefined && JSON.stringify(effective) !== JSON.stringify(proposed))
    lines.push("approved with:", ...barred(JSON.stringify(effective, undefined, 2)));
  return lines.join("\n");
}

/** For programs: times as dates. */
export function approvalJson(approval: Approval): JsonObject {
  const { createdAt, expiresAt, decidedAt, endedAt, definition, config, ...rest } = approval;
  const times = { createdAt, expiresAt, decidedAt, endedAt };
  const dates = Object.entries(times).flatMap(([name, at]) =>
    at === undefined ? [] : [[name, new Date(at).toISOString()] as const],
  );
  return { ...rest, ...Object.fromEntries(dates), definition, config } as unknown as JsonObject;
}

export function grantLine(grant: Grant): string {
  const { id, server, tool, owner, session, expiresAt, createdAt, grantedBy } = grant;
  const what = tool === undefined ? `${server}.* (${toolsOf(grant)})` : `${server}.${tool}`;
  const parts = [
    id.slice(0, 8),
    what,
    ...(grant.arguments === undefined ? [] : [`with ${grant.arguments}`]),
    ...(session === undefined ? [] : ["in its session"]),
    ...(owner === "default" ? [] : [`of ${owner}`]),
    `since ${localTime(createdAt)} by ${grantedBy}`,
    ...(expiresAt === undefined ? [] : [`until ${localTime(expiresAt)}`]),
  ];
  return visibleLine(parts.join("  "));
}

// --- internal ---

const describedMax = 4000;

function toolsOf({ definitions }: Grant): string {
  const count = Object.keys(definitions).length;
  return count === 1 ? "1 tool" : `${count} tools`;
}

/** Each line of a stranger stands behind a bar. */
function barred(text: string): string[] {
  return text.split("\n").map((line) => `  | ${visible(line)}`);
}
