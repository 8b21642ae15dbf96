/** Log notifications as servers write them, and above all their levels. Pure. */
import { shorten } from "../base/clip.ts";
import type { JsonObject } from "../base/json.ts";
import type { McpLogLevel } from "./mcp.ts";

/** From the least to the gravest. */
export const logLevels: readonly McpLogLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/**
 * A log with the level of the specification that it means, in capitals too, or by a name that it has elsewhere: strict
 * clients take no other, nor a `logger` that is no text, nor one without `data`. Undefined where nobody knows the level.
 */
export function withKnownLevel(log: JsonObject): JsonObject | undefined {
  const level = typeof log.level === "string" ? levels.get(log.level.toLowerCase()) : undefined;
  if (level === undefined) return undefined;
  const { logger, data } = log;
  const isNamed = logger === undefined || typeof logger === "string";
  if (level === log.level && isNamed && data !== undefined) return log;
  const { logger: _, ...rest } = log;
  // Some call it so.
  const { message = "" } = log;
  return { ...(isNamed ? log : rest), level, data: data === undefined ? message : data };
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
