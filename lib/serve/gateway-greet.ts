/** How the gateway introduces itself: what it serves, who it is, what its servers want their users to know. */
import { sleep } from "../base/async.ts";
import { clip } from "../base/clip.ts";
import type { JsonObject } from "../base/json.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import { legacyRevisions, modernRevisions, newestLegacy } from "../protocol/codecs.ts";
import { knowledgeOf } from "../protocol/revisions.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import { tasksExtension } from "../protocol/tasks.ts";
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
function capabilitiesFor(knows: Knowledge): JsonObject {
  return {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    logging: {},
    ...(knows.annotations && { completions: {} }),
    ...tasksFor(knows),
  };
}

/** In the words of the era. */
function tasksFor({ era, tasks }: Knowledge): JsonObject {
  if (!tasks) return {};
  if (era === "modern") return { extensions: { [tasksExtension]: {} } };
  return { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
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

/** What servers want their users to know, kept when they have stopped. */
export class Instructions implements Disposable {
  readonly #host: Pick<OpenedHost, "servers" | "tools" | "onEvent">;
  readonly #waitMs: number;
  readonly #said = new Map<string, string>();
  readonly #hearing: Disposable;

  /** @param waitMs how long servers that were not heard of yet are waited for */
  constructor(host: Pick<OpenedHost, "servers" | "tools" | "onEvent">, waitMs: number) {
    this.#host = host;
    this.#waitMs = waitMs;
    this.#hear(host);
    this.#hearing = host.onEvent(
      ({ state }) => {
        if (state === "ready") this.#hear(host);
      },
      ["server_state"],
    );
  }

  /**
   * Those of all servers that a scope shows, joined under their names. Servers that never ran are started for it, on the
   * client's own host where it has one.
   */
  async of(
    { server: only, allows }: Scope,
    host: Pick<OpenedHost, "servers" | "tools"> = this.#host,
  ): Promise<string | undefined> {
    const shown = host
      .servers()
      .filter(({ name }) => (only === undefined || name === only) && allows([`${name}.`]));
    const unheard = shown.filter(
      ({ name, state }) => !this.#said.has(name) && (state === "idle" || state === "starting"),
    );
    if (unheard.length > 0) {
      const over = new AbortController();
      const listed = host.tools({ servers: unheard.map(({ name }) => name) });
      const patience = sleep(this.#waitMs, over.signal);
      await Promise.race([listed, patience].map((one) => one.catch(() => {})));
      over.abort();
      this.#hear(host);
    }
    const said = shown.flatMap(({ name }) => {
      const text = this.#said.get(name) ?? "";
      return text.trim() === "" ? [] : [{ name, text }];
    });
    if (said.length === 0) return undefined;
    // Of the only server no name is needed.
    if (shown.length === 1) return clip(said[0]?.text ?? "", instructionsMax);
    const each = Math.floor(instructionsMax / said.length);
    return said.map(({ name, text }) => `# ${name}\n\n${clip(text, each)}`).join("\n\n");
  }

  [Symbol.dispose](): void {
    this.#hearing[Symbol.dispose]();
  }

  // --- internal ---

  #hear(host: Pick<OpenedHost, "servers">): void {
    for (const { name, state, instructions = "" } of host.servers())
      if (state === "ready") this.#said.set(name, instructions);
  }
}

// --- internal ---

/** UTF-16 units: they go into the context of models. */
const instructionsMax = 32_768;
