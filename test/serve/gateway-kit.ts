/** A gateway over fixture servers, and raw ways to ask it: what exactly is sent, and what exactly comes back. */
import { join } from "node:path";

import { gatewayRoutes } from "../../lib/serve/gateway-http.ts";
import type { GatewayFaceOptions } from "../../lib/serve/gateway-http.ts";
import { serveOver } from "./kit.ts";
import type { AskOptions, Fixture, KitOptions, ServedHost } from "./kit.ts";

const program = join(import.meta.dir, "../fixtures/remote/stdio.ts");

/** A fixture server that has everything, of an era. */
export function full(era: "legacy" | "modern" = "legacy", options: object = {}): Fixture {
  return { command: process.execPath, args: [program, era, JSON.stringify(options)] };
}

export function gatewayOver(
  fixtures: Record<string, Fixture>,
  { gateway, ...options }: KitOptions & { gateway?: GatewayFaceOptions } = {},
): ServedHost {
  const face = (context: Parameters<typeof gatewayRoutes>[0]) =>
    gatewayRoutes(context, { coalesceMs: 20, ...gateway });
  return serveOver(fixtures, { faces: [face], ...options });
}

/** One message of JSON-RPC, as it came. */
export interface Told {
  jsonrpc?: string;
  id?: string | number | null;
  method?: string;
  params?: any;
  result?: any;
  error?: { code: number; message: string; data?: any };
}

export const both = "application/json, text/event-stream";
const modern = "2026-07-28";

/** Params with the envelope of a modern request. */
export function enveloped(params: object = {}, meta: object = {}): object {
  return {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": modern,
      "io.modelcontextprotocol/clientCapabilities": {},
      ...meta,
    },
  };
}

/** What a modern request needs besides its body; undefined takes a header away. */
export function modernInit(
  method: string,
  params: { name?: string; uri?: string } = {},
  {
    headers,
    meta,
    ...more
  }: Omit<AskOptions, "headers"> & {
    headers?: Record<string, string | undefined>;
    meta?: object;
  } = {},
): AskOptions {
  const name = params.name ?? params.uri;
  const all = {
    accept: both,
    "mcp-protocol-version": modern,
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
    ...headers,
  };
  const kept = Object.entries(all).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return {
    json: { jsonrpc: "2.0", id: 1, method, params: enveloped(params, meta) },
    headers: Object.fromEntries(kept),
    ...more,
  };
}

/** Begins a legacy session; its asks carry its id. */
export async function session(
  kit: ServedHost,
  {
    path = "/mcp",
    revision = "2025-11-25",
    capabilities = {},
    ...more
  }: { path?: string; revision?: string; capabilities?: object } & AskOptions = {},
) {
  const params = {
    protocolVersion: revision,
    capabilities,
    clientInfo: { name: "raw", version: "1" },
  };
  const response = await kit.ask(path, {
    json: { jsonrpc: "2.0", id: 0, method: "initialize", params },
    headers: { accept: both },
    ...more,
  });
  const id = response.headers.get("mcp-session-id") ?? "";
  const greeting = (await response.json()) as Told;
  const ask = (init: AskOptions & { headers?: Record<string, string> } = {}, at = path) =>
    kit.ask(at, {
      ...more,
      ...init,
      headers: { accept: both, "mcp-session-id": id, ...init.headers },
    });
  return {
    id,
    greeting,
    ask,
    request: (
      method: string,
      given: object = {},
      requestId: string | number = 1,
      init: AskOptions = {},
    ) =>
      ask({
        ...init,
        json: { jsonrpc: "2.0", id: requestId, method, params: given },
      } as AskOptions & {
        headers?: Record<string, string>;
      }),
    answer: (requestId: Told["id"], given: Pick<Told, "result" | "error">) =>
      ask({ json: { jsonrpc: "2.0", id: requestId, ...given } }),
    notify: (method: string, given: object = {}) =>
      ask({ json: { jsonrpc: "2.0", method, params: given } }),
    call: (name: string, args: object = {}, requestId: string | number = 1, meta?: object) =>
      ask({
        json: {
          jsonrpc: "2.0",
          id: requestId,
          method: "tools/call",
          params: { name, arguments: args, ...(meta && { _meta: meta }) },
        },
      }),
  };
}

/** All messages of an answer: of its JSON, or of its stream until that ends. */
export async function told(response: Response): Promise<Told[]> {
  const all: Told[] = [];
  for await (const message of messages(response)) all.push(message);
  return all;
}

/** The messages of an answer as they come. */
async function* messages(response: Response): AsyncGenerator<Told, void, void> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await response.text();
    if (text !== "") yield* [JSON.parse(text) as Told | Told[]].flat();
    return;
  }
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const events = rest.split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart())
        .join("\n");
      if (data !== "") yield JSON.parse(data) as Told;
    }
  }
}

/** Reads a stream into a list that grows. */
export function collect(response: Response): Told[] {
  const all: Told[] = [];
  const read = async () => {
    for await (const one of messages(response)) all.push(one);
  };
  read().catch(() => {});
  return all;
}

/** Of several messages the answer to a request. */
export function answerTo(all: readonly Told[], id: string | number = 1): Told | undefined {
  return all.find((one) => one.id === id && one.method === undefined);
}

export function textOf(one: Told | undefined): string {
  return (one?.result?.content?.[0]?.text as string | undefined) ?? JSON.stringify(one);
}
