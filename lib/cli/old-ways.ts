/**
 * A server of both eras whose tool asks in the old way, which 2026-07-28 does not have: its SDK refuses to, and what the
 * call then fails with names the request. What a person can do is said; nothing is decided by it. Loaded where a call failed.
 */
import type { ServerStatus } from "../host/types.ts";

/** What helps; undefined where nothing was asked so. @param said what the call failed with */
export function oldWayHint(
  said: string,
  server: unknown,
  statuses: readonly ServerStatus[],
): string | undefined {
  const status = statuses.find(({ name }) => name === server);
  if (status?.era !== "modern" || !requests.test(said)) return undefined;
  return `it asks as servers did before ${status.revision}, where there is no such request: --protocol legacy speaks an older revision with it`;
}

// --- internal ---

const requests = /\b(?:elicitation\/create|sampling\/createMessage|roots\/list)\b/;
