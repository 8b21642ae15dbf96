/** What a host offers beside tools, all of it loaded when some of it is first asked for. It owns no server. */
import type { CompletionRequest, CompletionValues } from "../client/completion.ts";
import { Asking } from "./asking.ts";
import type { ServerContext } from "./connection-types.ts";
import type {
  CompleteRequest,
  Features,
  HostAnswer,
  ListRequest,
  PromptListing,
  PromptRequest,
  ReadRequest,
  ResourceListing,
} from "./feature-types.ts";
import type { Owned } from "./opened-types.ts";
import { Prompts } from "./prompts.ts";
import { Resources } from "./resources.ts";
import type { HostedServer } from "./server.ts";

export class Library implements Features {
  readonly #resources: Resources;
  readonly #prompts: Prompts;

  /** @param servers in the order of the config */
  constructor(servers: readonly HostedServer[], context: ServerContext) {
    const asking = new Asking(servers, context);
    this.#resources = new Resources(asking);
    this.#prompts = new Prompts(asking);
  }

  resources(request?: ListRequest): Promise<ResourceListing> {
    return this.#resources.list(request);
  }

  read(request: ReadRequest): Promise<HostAnswer> {
    return this.#resources.read(request);
  }

  /** As `OpenedHost.locate`. */
  locate(uri: string, signal?: AbortSignal): Promise<{ server: string; uri: string }> {
    return this.#resources.locate(uri, "uri", signal);
  }

  /** As `OpenedHost.ownerOf`. */
  async ownerOf(ref: CompletionRequest["ref"], signal?: AbortSignal): Promise<Owned> {
    if ("prompt" in ref) {
      const { server, prompt: own, name } = await this.#prompts.find(ref.prompt, signal);
      return { server, own, name };
    }
    const { server, uri } = await this.#resources.locate(ref.template, "uriTemplate", signal);
    return { server, own: uri, name: uri };
  }

  prompts(request?: ListRequest): Promise<PromptListing> {
    return this.#prompts.list(request);
  }

  prompt(request: PromptRequest): Promise<HostAnswer> {
    return this.#prompts.get(request);
  }

  complete({ ref, ...request }: CompleteRequest): Promise<CompletionValues> {
    return "prompt" in ref
      ? this.#prompts.complete(ref.prompt, request)
      : this.#resources.complete(ref.template, request);
  }
}
