/** Hosts over servers that are reached by a URL. */
import { silent } from "../../lib/base/log.ts";
import type { HttpServer } from "../../lib/config/types.ts";
import { createHost } from "../../lib/host/create.ts";
import { openHost } from "../../lib/host/host.ts";
import type { OpenedHost } from "../../lib/host/opened-types.ts";
import type { OpenHostOptions } from "../../lib/host/option-types.ts";
import type { Host } from "../../lib/host/types.ts";
import type { RemoteServer, RemoteServerOptions } from "../fixtures/remote/server.ts";
import { textOf } from "./kit.ts";

type Link = Pick<HttpServer, "transport">["transport"];

/** A host over one server, by its URL and nothing else. */
export async function hostOf({ url }: RemoteServer, transport: Link = "auto"): Promise<Host> {
  return await createHost({ servers: { far: { url, transport } }, log: silent });
}

/** The text that comes back of a call of `echo`. */
export async function echo(host: Pick<Host, "call">, text: string): Promise<string> {
  return textOf(await host.call({ tool: "echo", arguments: { text } }));
}

/** Every transport and era, each with a name. */
export const kinds: [string, RemoteServerOptions][] = [
  ["http, legacy", { transport: "http", era: "legacy" }],
  ["http, legacy without sessions", { transport: "http", era: "legacy", sessions: false }],
  ["http, modern", { transport: "http", era: "modern" }],
  ["http, both eras", { transport: "http", era: "both" }],
  ["sse", { transport: "sse" }],
  ["ws, legacy", { transport: "ws", era: "legacy" }],
  ["ws, modern", { transport: "ws", era: "modern" }],
];

/** One without sessions knows after a restart that it was not greeted, and has no way to say so. */
export const restartable = kinds.filter(([, { sessions }]) => sessions !== false);

/** A host over one server as its config has it, with no rules. */
export function opened(
  server: Partial<HttpServer>,
  more: Partial<OpenHostOptions> = {},
): OpenedHost {
  const far: HttpServer = {
    name: "far",
    kind: "http",
    url: "",
    transport: "auto",
    headers: {},
    protocol: "auto",
    lifecycle: "lazy",
    origin: { label: "test", kind: "named" },
    written: undefined,
    ...server,
  };
  return openHost({
    servers: [far],
    prepare: async (entry) => entry,
    policy: [],
    env: {},
    signal: new AbortController().signal,
    log: silent,
    ...more,
  });
}

/** Answers requests of one method in place of the server; undefined lets it answer. */
export function answering(
  method: string,
  answer: (id: unknown, count: number) => Response | undefined,
): NonNullable<RemoteServerOptions["intercept"]> {
  let count = 0;
  return ({ message }) =>
    message !== undefined && "id" in message && "method" in message && message.method === method
      ? answer(message.id, ++count)
      : undefined;
}

/** A JSON-RPC error, with its HTTP status (400). */
export const refused = (id: unknown, error: object, status = 400) =>
  Response.json({ jsonrpc: "2.0", id, error }, { status });
