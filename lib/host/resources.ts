/**
 * Resources of all servers: lists them, and reads one from the server that has it. Of several that have it none is picked.
 */
import { HostError, isHostError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { complete } from "../client/completion.ts";
import type { CompletionValues } from "../client/completion.ts";
import { isNotFound, listBoth, readResource } from "../client/resources.ts";
import type { Asking } from "./asking.ts";
import type {
  CompleteRequest,
  HostAnswer,
  ListRequest,
  ReadRequest,
  ResourceListing,
} from "./feature-types.ts";
import { havingTemplate, havingUri, isQualified, nearestUris } from "./resource-lookup.ts";
import { unknownBeside } from "./unknown.ts";

export class Resources {
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** As `Host.resources`. */
  async list({ servers, signal }: ListRequest = {}): Promise<ResourceListing> {
    const names = servers ?? this.#asking.servers.keys();
    const { found, failed } = await this.#asking.gather(names, "resources/list", listBoth, signal);
    return {
      resources: found.flatMap(({ server, list }) =>
        list.resources.items.map((item) => ({ server, ...item })),
      ),
      templates: found.flatMap(({ server, list }) =>
        list.templates.items.map((item) => ({ server, ...item })),
      ),
      failed,
      warnings: found.flatMap(({ server, list }) =>
        [...list.resources.warnings, ...list.templates.warnings].map((text) => ({ server, text })),
      ),
    };
  }

  /** As `Host.read`. */
  async read({ uri: wanted, ...waits }: ReadRequest): Promise<HostAnswer> {
    const { signal } = waits;
    const { server, uri } = await this.locate(wanted, "uri", signal);
    const about = { label: `resources/read of ${uri}`, facts: { uri } };
    try {
      const reply = await this.#asking.ask(
        server,
        about,
        (client, options) => readResource(client, uri, options),
        waits,
      );
      const { result, warning, isInput } = reply;
      return {
        server,
        result,
        ...(isInput && { isInput }),
        get raw() {
          return reply.raw();
        },
        warnings: warning === undefined ? [] : [warning],
      };
    } catch (error) {
      throw await this.#withNearest(error, server, uri, signal);
    }
  }

  /** As `Host.complete`, of a template's variable. */
  async complete(
    template: string,
    { argument, context, ...waits }: Omit<CompleteRequest, "ref">,
  ): Promise<CompletionValues> {
    const { server, uri } = await this.locate(template, "uriTemplate", waits.signal);
    const about = { label: "completion/complete", facts: { template: uri } };
    const request = { ref: { template: uri }, argument, ...(context && { context }) };
    return await this.#asking.ask(
      server,
      about,
      (client, options) => complete(client, request, options),
      waits,
    );
  }

  /** The server to ask, and what to ask it for. @throws HostError `usage`; why a server that may have it failed */
  async locate(
    wanted: string,
    kind: "uri" | "uriTemplate",
    signal: AbortSignal | undefined,
  ): Promise<{ server: string; uri: string }> {
    const names = [...this.#asking.servers.keys()];
    const named = names.find((name) => isQualified(wanted, name));
    if (named !== undefined) return { server: named, uri: wanted.slice(named.length + 1) };
    const [only, ...others] = names;
    if (only !== undefined && others.length === 0) return { server: only, uri: wanted };
    const listing = await this.list({ ...(signal && { signal }) });
    const { failed } = listing;
    const fitting = kind === "uri" ? havingUri(wanted, listing) : havingTemplate(wanted, listing);
    const having = [...new Set(fitting.map(({ server }) => server))];
    const [first] = fitting;
    if (first !== undefined && having.length === 1) return { server: first.server, uri: first.uri };
    if (first !== undefined) throw ofSeveral(wanted, having);
    const error = unknown(wanted, nearestUris(wanted, listing), names);
    throw unknownBeside(error, failed, failed.length < names.length);
  }

  // --- internal ---

  /** The server's own "not found", with what it has that is like it. */
  async #withNearest(
    error: unknown,
    server: string,
    uri: string,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    if (!isHostError(error) || !isNotFound(error.cause)) return error;
    let near: string[];
    try {
      near = nearestUris(uri, await this.list({ servers: [server], ...(signal && { signal }) }));
    } catch {
      return error;
    }
    const hint = didYouMean(near);
    return new HostError(error.code, error.message, {
      facts: { ...error.facts, nearest: near },
      ...(hint !== undefined && { hint }),
      cause: error.cause,
    });
  }
}

// --- internal ---

function ofSeveral(uri: string, servers: readonly string[]): HostError {
  const candidates = servers.map((server) => `${server}/${uri}`);
  return new HostError("usage", `several servers have ${JSON.stringify(uri)}`, {
    facts: { uri, candidates },
    hint: `say which: ${candidates.join(", ")}`,
  });
}

function unknown(uri: string, near: readonly string[], servers: readonly string[]): HostError {
  return new HostError("usage", `no server lists ${JSON.stringify(uri)}`, {
    facts: { uri, nearest: near, servers },
    hint: didYouMean(near) ?? `SERVER/URI asks one of ${servers.join(", ")} all the same`,
  });
}
