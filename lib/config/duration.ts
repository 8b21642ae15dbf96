/** Lengths of time as people write them, in milliseconds. Pure. */

/** The longest that a timer takes (2^31 - 1 ms, almost 25 days); longer ones are cut to it. */
export const durationMsMax = 2_147_483_647;

const units = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Milliseconds of `500ms`, `30s`, `2m`, `1h`; a bare number is seconds. Undefined where it is no duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h)?\s*$/.exec(text);
  if (!match) return undefined;
  return inRange(Number(match[1]) * (units.get(match[2] ?? "s") ?? 1));
}

/**
 * Milliseconds of a config file's `timeout`: a number from 1000 on is milliseconds, below it seconds; a string says its
 * unit, else it counts as a number (cli.md, Config). Undefined where it is no duration.
 */
export function parseTimeout(value: unknown): number | undefined {
  if (typeof value === "string") {
    const text = value.trim();
    return /^[\d.]+$/.test(text) ? parseTimeout(Number(text)) : parseDuration(text);
  }
  if (typeof value !== "number" || !(value >= 0)) return undefined;
  return inRange(value >= 1000 ? value : value * 1000);
}

/** Milliseconds of a number of seconds, or of a string with its unit. Undefined where it is no duration. */
export function parseSeconds(value: unknown): number | undefined {
  if (typeof value === "string") return parseDuration(value);
  return typeof value === "number" && value >= 0 ? inRange(value * 1000) : undefined;
}

// --- internal ---

/** What is more than nothing stays so: 0 often means no limit. */
function inRange(ms: number): number {
  return ms > 0 ? Math.min(Math.max(Math.round(ms), 1), durationMsMax) : 0;
}
