/**
 * Prompts of all servers under the names that the host shows: lists them, finds the one that a name means while starting
 * no more servers than the name can mean, and gets it. The names are made as those of tools are.
 */
import { HostError } from "../base/errors.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { complete } from "../client/completion.ts";
import type { CompletionValues } from "../client/completion.ts";
import type { Listed } from "../client/lists.ts";
import { getPrompt, listPrompts } from "../client/prompts.ts";
import type { Prompt } from "../protocol/lists.ts";
import type { Asking } from "./asking.ts";
import type {
  CompleteRequest,
  HostAnswer,
  HostPrompt,
  ListRequest,
  PromptListing,
  PromptRequest,
} from "./feature-types.ts";
import { nameTools } from "./name-table.ts";
import type { NamedServer, NameEntry, NameTable } from "./name-table.ts";
import { claimants, findBare, findNamed, onlyOf, serversMeant } from "./names.ts";
import { checkRequired, strayArguments } from "./prompt-arguments.ts";
import { unknownBeside } from "./unknown.ts";

export class Prompts {
  readonly #asking: Asking;
  readonly #named: readonly NamedServer[];
  /** What was listed last. */
  readonly #lists = new Map<string, Listed<Prompt>>();

  constructor(asking: Asking) {
    this.#asking = asking;
    this.#named = Array.from(asking.servers.values(), ({ config: { name, prefix } }) => {
      return { name, prefix, tools: [] };
    });
  }

  /** As `Host.prompts`. */
  async list({ servers, signal }: ListRequest = {}): Promise<PromptListing> {
    const wanted = new Set(servers ?? this.#asking.servers.keys());
    const failed = await this.#load(wanted, signal);
    // A name depends on the servers that could claim it, too.
    if (servers !== undefined)
      await this.#load(claimants(wanted, this.#table(), this.#named), signal);
    const lost = failed.filter(({ server }) => !this.#lists.has(server));
    const had = wanted.difference(new Set(lost.map(({ server }) => server)));
    const { entries } = this.#table();
    const shown = entries.filter(({ server }) => had.has(server));
    const warnings = [...had].flatMap((server) => {
      const own = shown.filter((entry) => entry.server === server && entry.changed);
      const texts = own.map(({ tool, name }) => `prompt ${JSON.stringify(tool)} is ${name} here`);
      const all = [...(this.#lists.get(server)?.warnings ?? []), ...texts];
      return all.map((text) => ({ server, text }));
    });
    return { prompts: shown.flatMap((entry) => this.#promptOf(entry) ?? []), failed, warnings };
  }

  /** As `Host.prompt`. */
  async get(request: PromptRequest): Promise<HostAnswer> {
    const { prompt: name, arguments: args = {}, ...waits } = request;
    const prompt = await this.find(name, waits.signal);
    const strays = strayArguments(prompt, args);
    checkRequired(prompt, args, strays);
    const { server } = prompt;
    const about = { label: `prompts/get of ${prompt.prompt}`, facts: { prompt: prompt.prompt } };
    const asked = { name: prompt.prompt, arguments: args };
    const reply = await this.#asking.ask(
      server,
      about,
      (client, options) => getPrompt(client, asked, options),
      waits,
    );
    return {
      server,
      result: reply.result,
      ...(reply.isInput && { isInput: reply.isInput }),
      get raw() {
        return reply.raw();
      },
      warnings: strays,
    };
  }

  /** As `Host.complete`, of a prompt's argument. */
  async complete(
    name: string,
    { argument, context, ...waits }: Omit<CompleteRequest, "ref">,
  ): Promise<CompletionValues> {
    const { server, prompt } = await this.find(name, waits.signal);
    const about = { label: "completion/complete", facts: { prompt } };
    const request = { ref: { prompt }, argument, ...(context && { context }) };
    return await this.#asking.ask(
      server,
      about,
      (client, options) => complete(client, request, options),
      waits,
    );
  }

  /** The one that a name means. @throws HostError `usage` (unknown, of several); why the server that it names failed */
  async find(name: string, signal: AbortSignal | undefined): Promise<HostPrompt> {
    const failed = await this.#load(serversMeant(name, this.#named), signal);
    const named = onlyOf("prompt", name, findNamed(this.#table(), name));
    const prompt = named && this.#promptOf(named);
    if (prompt !== undefined) {
      this.#asking.tellPartial("prompts", failed);
      return prompt;
    }
    if (failed[0] !== undefined) throw failed[0].error;
    const others = await this.#load(this.#asking.servers.keys(), signal);
    const bare = onlyOf("prompt", name, findBare(this.#table(), name));
    const found = bare && this.#promptOf(bare);
    if (found !== undefined) return found;
    throw unknownBeside(unknown(name, this.#table()), others, this.#lists.size > 0);
  }

  // --- internal ---

  /** Lists servers; those that fail, or whose list is not whole, are returned. @throws HostError when the signal fires */
  async #load(
    names: Iterable<string>,
    signal: AbortSignal | undefined,
  ): Promise<PromptListing["failed"]> {
    const { found, failed } = await this.#asking.gather(names, "prompts/list", listPrompts, signal);
    for (const { server } of failed) this.#lists.delete(server);
    for (const { server, list } of found) this.#lists.set(server, list);
    return failed;
  }

  #table(): NameTable {
    return nameTools(
      this.#named.map((server) => {
        const items = this.#lists.get(server.name)?.items ?? [];
        return { ...server, tools: items.map(({ name }) => name) };
      }),
    );
  }

  #promptOf({ server, tool, name }: NameEntry): HostPrompt | undefined {
    const own = this.#lists.get(server)?.items.find((item) => item.name === tool);
    return own && { ...own, name, server, prompt: tool };
  }
}

// --- internal ---

function unknown(name: string, { entries }: NameTable): HostError {
  const near = nearest(
    name,
    // Whatever is written is near to an empty name.
    entries.map(
      ({ name: shown, server, tool }) => [shown, tool || shown, `${server}.${tool}`] as const,
    ),
  );
  const count = entries.length === 1 ? "there is 1 prompt" : `there are ${entries.length} prompts`;
  return new HostError("usage", `no prompt is called ${JSON.stringify(name)}`, {
    facts: { prompt: name, nearest: near },
    hint: didYouMean(near) ?? count,
  });
}
