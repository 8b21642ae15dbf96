/** The test kit of this room: scripted servers on the far side of a memory link, and a log that can be waited for. */
import type { JsonObject } from "../../lib/base/json.ts";
import type { LogEntry } from "../../lib/base/log.ts";
import type { ConnectOptions } from "../../lib/client/connect-types.ts";
import type { Message } from "../../lib/protocol/jsonrpc.ts";
import { memoryPair } from "../../lib/transport/memory.ts";
import type { Transport } from "../../lib/transport/transport.ts";

export interface Incoming {
  id?: string | number;
  method?: string;
  params: JsonObject & { [key: string]: any };
  result?: any;
  error?: any;
}

/** The server's end of one link. */
export interface Far {
  /** The number of this link, from 1. */
  link: number;
  send(message: object): void;
  close(): void;
}

/** Takes each message in order; what it returns (if anything) is sent as the result of a request. */
export type Script = (message: Incoming, far: Far) => unknown;

export interface Scripted {
  options: ConnectOptions;
  /** All that the server got, over all links. */
  received: Incoming[];
  /** Methods only. */
  methods(): string[];
  log: LogEntry[];
  links: number;
}

export function scripted(script: Script, extra: Partial<ConnectOptions> = {}): Scripted {
  const log: LogEntry[] = [];
  const received: Incoming[] = [];
  const state: Scripted = {
    received,
    log,
    links: 0,
    methods: () => received.flatMap(({ method }) => (method === undefined ? [] : [method])),
    options: {
      name: "far",
      clientInfo: { name: "test", version: "0" },
      answers: {},
      log: (entry) => log.push(entry),
      signal: new AbortController().signal,
      probeTimeoutMs: 5000,
      startTimeoutMs: 5000,
      open: async () => {
        const [near, far] = memoryPair();
        void serve(far, script, { link: ++state.links, received });
        return near;
      },
      ...extra,
    },
  };
  return state;
}

async function serve(
  transport: Transport,
  script: Script,
  { link, received }: { link: number; received: Incoming[] },
): Promise<void> {
  const send = (message: object) =>
    void transport.send({ jsonrpc: "2.0", ...message } as Message)?.catch(() => {});
  const far: Far = { link, send, close: () => void transport[Symbol.asyncDispose]() };
  for await (const incoming of transport.incoming) {
    if (!("message" in incoming)) continue;
    const message = { params: {}, ...incoming.message } as Incoming;
    received.push(message);
    void (async () => {
      const result = await script(message, far);
      if (message.id !== undefined && result !== undefined) send({ id: message.id, result });
    })();
  }
}

/** The `_meta` of a request. */
export function metaOf(message: Incoming | undefined): any {
  return message?.params["_meta"];
}

export const unknownMethod = { code: -32601, message: "Method not found" };

export interface LegacyParts {
  capabilities?: JsonObject;
  version?: string;
  list?: (message: Incoming, far: Far) => unknown;
  call?: (message: Incoming, far: Far) => unknown;
}

/** A legacy server: refuses the probe, greets, lists `tools`, and answers calls by `call`. */
export function legacyScript(parts: LegacyParts = {}): Script {
  return (message, far) => {
    switch (message.method) {
      case "initialize":
        return {
          protocolVersion: parts.version ?? message.params.protocolVersion,
          capabilities: parts.capabilities ?? { tools: {} },
          serverInfo: { name: "scripted", version: "1.0.0" },
        };
      case "tools/list":
        return parts.list ? parts.list(message, far) : { tools: [tool("one")] };
      case "tools/call":
        return parts.call ? parts.call(message, far) : text("done");
      case "ping":
        return {};
      default:
        if (message.id !== undefined && message.method !== undefined)
          far.send({ id: message.id, error: unknownMethod });
    }
  };
}

/** A modern server: answers discover and requests that carry the envelope, refuses everything else. */
export function modernScript(parts: LegacyParts = {}): Script {
  return (message, far) => {
    if (message.id === undefined) return;
    if (metaOf(message)?.["io.modelcontextprotocol/protocolVersion"] === undefined) {
      const data = { supported: ["2026-07-28"] };
      return far.send({
        id: message.id,
        error: { code: -32022, message: "2026-07-28 only", data },
      });
    }
    switch (message.method) {
      case "server/discover":
        return {
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: parts.capabilities ?? { tools: {} },
          instructions: "be kind",
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "2.0.0" } },
        };
      case "tools/list":
        return parts.list
          ? parts.list(message, far)
          : { resultType: "complete", tools: [tool("one")] };
      case "tools/call":
        return parts.call ? parts.call(message, far) : { resultType: "complete", ...text("done") };
      default:
        far.send({ id: message.id, error: unknownMethod });
    }
  };
}

export function tool(name: string): JsonObject {
  return { name, inputSchema: { type: "object" } };
}

export function text(words: string): JsonObject {
  return { content: [{ type: "text", text: words }] };
}

/** Waits until a condition holds; the test's own time-out ends it otherwise. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(2);
}

/** One body for both eras. */
export const eras: [string, (parts: LegacyParts, extra?: Partial<ConnectOptions>) => Scripted][] = [
  ["legacy", (parts, extra) => scripted(legacyScript(parts), extra)],
  ["modern", (parts, extra) => scripted(modernScript(parts), extra)],
];

/** Answers the probe by itself, and hands the rest on. */
export function probeAnswered(answer: Script, rest: Script = legacyScript()): Script {
  return (message, far) =>
    message.method === "server/discover" ? answer(message, far) : rest(message, far);
}
