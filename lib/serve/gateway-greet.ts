/** How the gateway introduces itself: what it serves, who it is, what its servers want their users to know. */
import { sleep } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import { clip } from "../base/slice.ts";
import type { OpenedHost } from "../host/types.ts";
import { legacyRevisions, modernRevisions, newestLegacy } from "../protocol/codecs.ts";
import { knowledgeOf } from "../protocol/revisions.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import { ourInfo } from "./gateway-results.ts";
import type { Scope } from "./gateway-types.ts";

/** All that may be asked for by name of a revision. */
export const supportedVersions: readonly string[] = [...modernRevisions, ...legacyRevisions];

/** What a client of `initialize` gets: what it asked for where we know it, else our newest legacy revision. */
export function negotiated({ protocolVersion }: JsonObject): Knowledge {
  const revision = legacyRevisions.find((one) => one === protocolVersion) ?? newestLegacy;
  return knowledgeOf(revision) as Knowledge;
}

/** What is really served, whatever the servers behind have of it. */
export function capabilitiesFor(knows: Knowledge): JsonObject {
  return {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    logging: {},
    ...(knows.annotations && { completions: {} }),
  };
}

/** The result of `initialize`. */
export function greeting(knows: Knowledge, instructions: string | undefined): JsonObject {
  return {
    protocolVersion: knows.revision,
    capabilities: capabilitiesFor(knows),
    serverInfo: ourInfo,
    ...(instructions !== undefined && { instructions }),
  };
}

/** The result of `server/discover`. */
export function discovery(knows: Knowledge, instructions: string | undefined): JsonObject {
  return {
    supportedVersions: [...supportedVersions],
    capabilities: capabilitiesFor(knows),
    ...(instructions !== undefined && { instructions }),
  };
}

/**
 * The servers' own instructions, joined under their names. Servers that were not started are started for it, and are
 * waited for no longer than `waitMs`.
 */
export async function instructionsOf(
  host: Pick<OpenedHost, "servers" | "tools">,
  { server: only, allows }: Scope,
  waitMs: number,
): Promise<string | undefined> {
  const shown = () =>
    host
      .servers()
      .filter(({ name }) => (only === undefined || name === only) && allows([`${name}.`]));
  const waiting = shown().filter(({ state }) => state === "idle" || state === "starting");
  if (waiting.length > 0) {
    const given = new AbortController();
    const listed = host.tools({ servers: waiting.map(({ name }) => name) }).catch(() => {});
    await Promise.race([listed, sleep(waitMs, given.signal).catch(() => {})]);
    given.abort();
  }
  const said = shown().flatMap(({ name, instructions = "" }) =>
    instructions.trim() === "" ? [] : [{ name, text: instructions }],
  );
  if (said.length === 0) return undefined;
  const each = Math.floor(instructionsMax / said.length);
  // Of the only server no name is needed.
  if (shown().length === 1) return clip(said[0]?.text ?? "", instructionsMax);
  return said.map(({ name, text }) => `# ${name}\n\n${clip(text, each)}`).join("\n\n");
}

// --- internal ---

/** UTF-16 units: they go into the context of models. */
const instructionsMax = 32_768;
