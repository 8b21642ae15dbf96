/**
 * The tools of a host as plugins offer them (the hook `listTools`): filtered, renamed, described anew. What a plugin leaves
 * out cannot be called by any name, and a name that it took from a tool means that tool no more. Where a plugin fails nothing
 * is offered.
 */
import { HostError, isHostError } from "../base/errors.ts";
import { frozenCopy } from "../hooks/frozen.ts";
import type { OfferedTool } from "../hooks/hook-types.ts";
import { answerOf, fault, nonsense } from "../hooks/run-hook.ts";
import type { Hooked } from "../hooks/run-hook.ts";
import type { PluginRunner } from "../hooks/runner.ts";
import type { OpenedHost } from "./opened-types.ts";
import type { HostTool, ResolveOptions, ToolListing } from "./types.ts";

type Lists = Pick<OpenedHost, "tools" | "knownTools" | "resolve">;

export class Offering implements Lists {
  readonly #host: Lists;
  readonly #plugins: PluginRunner;
  /** What names were found to mean, as long as the tools that this rests on are listed so. */
  readonly #found = new Map<string, { base: HostTool; shown: HostTool }>();
  /** Of the plugins that said so, and of the last time that they were asked for a list. */
  #revision = 0;

  constructor(host: Lists, plugins: PluginRunner) {
    this.#host = host;
    this.#plugins = plugins;
  }

  async tools(options?: Parameters<Lists["tools"]>[0]): Promise<ToolListing> {
    return await this.#listing(await this.#host.tools(options));
  }

  async knownTools(): Promise<ToolListing> {
    return await this.#listing(await this.#host.knownTools());
  }

  /** @throws HostError as the host; `denied`: a plugin leaves it out, or failed; `usage`: a plugin took the name away */
  async resolve(name: string, options: ResolveOptions = {}): Promise<HostTool> {
    if (this.#revision !== this.#plugins.revision) this.#found.clear();
    this.#revision = this.#plugins.revision;
    const found = this.#found.get(name);
    if (found !== undefined) {
      const now = await this.#host.resolve(keyOf(found.base), options);
      if (now === found.base) return found.shown;
      this.#found.delete(name);
    }
    const meant = await this.#meant(name, options);
    const offered = await offeredOf((await this.#host.knownTools()).tools, this.#plugins);
    const shown = offered.find((tool) => tool.name === name) ?? otherwise(name, meant, offered);
    if (shown === undefined) throw meant;
    const base = await this.#host.resolve(keyOf(shown), options);
    this.#found.set(name, { base, shown });
    return shown;
  }

  // --- internal ---

  /**
   * What the name means without plugins, or why it means nothing. Any tool may have been given the name, so that all must be
   * listed before it means anything but the tool that is shown by it.
   */
  async #meant(name: string, options: ResolveOptions): Promise<HostTool | HostError> {
    try {
      const meant = await this.#host.resolve(name, options);
      const isQualified = meant.name !== name && meant.tool !== name;
      if (!isQualified && options.listedOnly !== true)
        await this.#host.tools(options.signal && { signal: options.signal });
      return meant;
    } catch (error) {
      if (isHostError(error) && error.code === "usage") return error;
      throw error;
    }
  }

  async #listing(listing: ToolListing): Promise<ToolListing> {
    // Plugins are asked again: what they said before counts no more, and no name means what nobody sees.
    this.#plugins.relisted();
    try {
      return { ...listing, tools: await offeredOf(listing.tools, this.#plugins) };
    } catch (error) {
      if (!isHostError(error)) throw error;
      const failed = { server: String(error.facts.plugin), error };
      return { ...listing, tools: [], failed: [...listing.failed, failed] };
    }
  }
}

/** By what a tool is found whatever it is shown as. */
export function keyOf({ server, tool }: Pick<HostTool, "server" | "tool">): string {
  return `${server}/${tool}`;
}

// --- internal ---

/** What a name means that no tool is shown by: its own name and its server's name, which no plugin changes, are still its. */
function otherwise(
  name: string,
  meant: HostTool | HostError,
  offered: readonly HostTool[],
): HostTool | undefined {
  if (isHostError(meant)) return undefined;
  const first = offered.find((tool) => keyOf(tool) === keyOf(meant));
  if (first === undefined) throw leftOut(meant);
  if (meant.name !== name || meant.tool === name) return first;
  throw renamed(name, first);
}

/** @throws HostError `denied`: a plugin is at fault */
async function offeredOf(tools: readonly HostTool[], plugins: PluginRunner): Promise<HostTool[]> {
  let now: readonly HostTool[] = tools;
  for (const hook of plugins.hooks("listTools")) {
    const given: readonly OfferedTool[] = Object.freeze(now.map(viewOf));
    const occasion = { timeoutMs: plugins.hookTimeoutMs };
    const answer = await answerOf(hook, occasion, () => hook.run(given));
    if (answer !== undefined && answer !== null) now = taken(hook, answer, now);
  }
  return [...now];
}

function viewOf(tool: HostTool): OfferedTool {
  const { name, server, tool: own, title, description, inputSchema, annotations } = tool;
  return {
    name,
    server,
    tool: own,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: frozenCopy(inputSchema),
    ...(annotations && { annotations: Object.freeze({ ...annotations }) }),
  };
}

const expected = "an array of the tools given, each with a name of its own";

/** Only its words are taken: what a tool is and needs is its server's. */
function taken(
  hook: Hooked<"listTools">,
  answer: unknown,
  tools: readonly HostTool[],
): readonly HostTool[] {
  if (!Array.isArray(answer)) throw nonsense(hook, {}, { found: answer, expected });
  const originals = new Map(tools.map((tool) => [keyOf(tool), tool]));
  const names = new Set<string>();
  return answer.map((found: Partial<HostTool> | null): HostTool => {
    const { name, server, tool, title, description } = found ?? {};
    const original = originals.get(keyOf({ server: String(server), tool: String(tool) }));
    const areTexts = [title, description].every(
      (text) => text === undefined || typeof text === "string",
    );
    if (original === undefined || typeof name !== "string" || name === "" || !areTexts)
      throw nonsense(hook, {}, { found, expected });
    if (names.has(name)) throw fault(hook, {}, `gave two tools the name ${JSON.stringify(name)}`);
    names.add(name);
    const { title: _, description: __, ...rest } = original;
    return {
      ...rest,
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
    };
  });
}

function leftOut({ server, tool }: HostTool): HostError {
  const text = `${tool} of server "${server}" is not offered: a plugin leaves it out (listTools)`;
  return new HostError("denied", text, { facts: { server, tool } });
}

function renamed(name: string, { name: now, tool }: HostTool): HostError {
  const text = `no tool is called ${JSON.stringify(name)}: a plugin calls it ${now} (listTools)`;
  return new HostError("usage", text, { facts: { tool, nearest: [now] }, hint: `call ${now}` });
}
