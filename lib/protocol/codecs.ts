/**
 * Which revisions we speak, and the codec of each. The one place where a revision becomes behaviour; nothing outside
 * this room compares versions. Pure.
 */
import type { Codec } from "./codec.ts";
import { legacyCodec, legacyRevisions } from "./legacy.ts";
import type { Era } from "./mcp.ts";
import { modernCodec, modernRevisions } from "./modern.ts";

export { legacyRevisions } from "./legacy.ts";
export { modernRevisions } from "./modern.ts";

export const newestLegacy = "2025-11-25";
export const newestModern = "2026-07-28";

/** The era that a revision belongs to; undefined if we do not speak it. */
export function eraOf(revision: string): Era | undefined {
  if (modernRevisions.includes(revision)) return "modern";
  if (legacyRevisions.includes(revision)) return "legacy";
  return undefined;
}

/** The codec of a revision; undefined if we do not speak it. */
export function codecFor(revision: string): Codec | undefined {
  const era = eraOf(revision);
  if (era === undefined) return undefined;
  return era === "modern" ? modernCodec(revision) : legacyCodec(revision);
}
