/** How long a server lets a result be kept (protocol.md 1.11). Pure. */
import type { JsonObject } from "../base/json.ts";

/** Longer than that nothing is believed to stay as it is. */
export const ttlMsMax = 24 * 3_600_000;

/** The `ttlMs` of a result, at most a day; 0 (never) where it has none that is a positive number. */
export function ttlOf({ ttlMs }: JsonObject): number {
  return typeof ttlMs === "number" && ttlMs > 0 ? Math.min(ttlMs, ttlMsMax) : 0;
}
