/** Levels of log notifications as servers write them. Pure. */
import { shorten } from "../base/clip.ts";
import type { JsonObject } from "../base/json.ts";
import type { McpLogLevel } from "./mcp.ts";

/**
 * A log with the level of the specification that it means, in capitals too, or by a name that it has elsewhere: strict
 * clients take no other. Undefined where nobody knows it.
 */
export function withKnownLevel(log: JsonObject): JsonObject | undefined {
  const level = typeof log.level === "string" ? levels.get(log.level.toLowerCase()) : undefined;
  if (level === undefined) return undefined;
  return level === log.level ? log : { ...log, level };
}

/** Why there is none, for the log. */
export function strangeLevel({ level }: JsonObject): string {
  const said = level === undefined ? "missing" : shorten(JSON.stringify(level), 100);
  return `a log of its is not handed on: its level is ${said}`;
}

// --- internal ---

const levels: ReadonlyMap<string, McpLogLevel> = new Map([
  ["debug", "debug"],
  ["trace", "debug"],
  ["verbose", "debug"],
  ["info", "info"],
  ["log", "info"],
  ["information", "info"],
  ["notice", "notice"],
  ["warning", "warning"],
  ["warn", "warning"],
  ["error", "error"],
  ["err", "error"],
  ["critical", "critical"],
  ["crit", "critical"],
  ["fatal", "critical"],
  ["alert", "alert"],
  ["emergency", "emergency"],
  ["emerg", "emergency"],
]);
