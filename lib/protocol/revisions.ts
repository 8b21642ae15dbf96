/**
 * What a client of a revision can be shown: the features that came with it, as data, for whoever serves clients of several
 * revisions (protocol.md 0.1, 2.4). Pure.
 */
import { eraOf, legacyRevisions, modernRevisions } from "./codecs.ts";
import type { Era } from "./mcp.ts";

/** What a revision knows. What it does not know is left out of what its clients are sent. */
export interface Knowledge {
  readonly revision: string;
  readonly era: Era;
  /** `annotations` of tools, audio blocks, `message` of progress, the capability `completions`. */
  readonly annotations: boolean;
  /** `title`, `outputSchema`, `structuredContent`, links to resources. */
  readonly titles: boolean;
  /** `icons`, `websiteUrl`, `description` of an implementation; URLs that must be visited (-32042). */
  readonly icons: boolean;
  /** Any JSON as structured content, and any schema for it; before, objects alone. */
  readonly anyStructured: boolean;
  /** Calls that run as tasks, in the form of the revision. */
  readonly tasks: boolean;
  /** Several messages in one array. */
  readonly batches: boolean;
  /** A stream may begin with an event that has an id and no data. */
  readonly priming: boolean;
}

/** Undefined for a revision that we do not speak. */
export function knowledgeOf(revision: string): Knowledge | undefined {
  return all.get(revision);
}

// --- internal ---

const all: ReadonlyMap<string, Knowledge> = new Map(
  [...legacyRevisions, ...modernRevisions].map((revision) => [revision, knowledge(revision)]),
);

function knowledge(revision: string): Knowledge {
  const era = eraOf(revision) as Era;
  const since = (first: string) => era === "modern" || isSince(revision, first);
  return {
    revision,
    era,
    annotations: since("2025-03-26"),
    titles: since("2025-06-18"),
    icons: since("2025-11-25"),
    anyStructured: era === "modern",
    tasks: since("2025-11-25"),
    batches: revision === "2025-03-26",
    priming: era === "legacy" && since("2025-11-25"),
  };
}

/** The list begins with the newest. */
function isSince(revision: string, first: string): boolean {
  return legacyRevisions.indexOf(revision) <= legacyRevisions.indexOf(first);
}
