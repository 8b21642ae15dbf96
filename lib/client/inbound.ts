/**
 * What a server sends of its own accord: requests are answered at once or refused at once, log notifications become log
 * entries, list changes are passed on. Nothing here ever waits for our own requests, and nothing a server sends is fatal.
 */
import { clip } from "../base/clip.ts";
import { isDeeper, withDigits } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { LogLevel } from "../base/log.ts";
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import { withKnownLevel } from "../protocol/log-level.ts";
import type { PeerOptions } from "../transport/peer-types.ts";
import { answererOf, answerTo, refusalOf } from "./answers.ts";
import type { ConnectOptions } from "./connect-types.ts";

export interface Inbound extends Required<Pick<PeerOptions, "onRequest" | "onNotification">> {
  /** Our own greeting came back: no server sends one. */
  readonly isEcho: boolean;
  /** Hears each notification but logs, until disposed. */
  listen(listener: (method: string, params: JsonObject) => void): Disposable;
  /** Negotiation is over: from here on list changes matter, and a modern server may ask nothing but in input rounds. */
  settled(era: { serverRequests: boolean }): void;
}

/** The handlers of one client; they outlive a link that had to be opened again. */
export function createInbound(options: ConnectOptions): Inbound {
  const { name, log, answers, onListChanged, onLog } = options;
  let settled: { serverRequests: boolean } | undefined;
  let isEcho = false;
  const listeners = new Set<Parameters<Inbound["listen"]>[0]>();
  const debug = (text: string) => log({ level: "debug", server: name, text });
  return {
    get isEcho() {
      return isEcho;
    },
    settled(era) {
      settled = era;
    },
    listen(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async onRequest(method, params, signal): Promise<Json> {
      // Ping is answered in every state and era: a reply costs nothing, and silence would look like a dead client.
      if (method === "ping") return {};
      isEcho ||= method === "initialize" || method === "server/discover";
      const refusal =
        settled?.serverRequests === false
          ? { code: methodNotFound, message: `${method}: this revision has no requests to clients` }
          : refusalOf(method, params, answers);
      if (refusal) {
        debug(`${method} was refused: ${refusal.message}`);
        if (method === "elicitation/create" && typeof params.message === "string") {
          const text = `it asked, and nobody here answers: ${clip(params.message, 500)}`;
          log({ level: "warn", server: name, text, facts: { option: answererOf(method, params) } });
        }
        throw new RpcError(refusal);
      }
      return await answerTo(method, params, { name, answers, log, signal });
    },
    onNotification(method, params) {
      const list = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method)?.[1];
      if (method === "notifications/message") {
        // It is only handed on.
        const said = writable(withDigits(params));
        onLog?.(said);
        return log({ server: name, source: "notification", ...logOf(said) });
      }
      for (const listener of listeners) listener(method, params);
      if (list === "tools" || list === "prompts" || list === "resources") {
        // Before the handshake ends nothing was listed, so that nothing can be stale.
        if (settled) onListChanged?.(list);
      } else if (listeners.size === 0) {
        debug(`notification ignored: ${clip(method, 200)}`);
      }
    },
  };
}

// --- internal ---

const textMax = 8192;
const depthMax = 2000;

const levels = new Map<unknown, LogLevel>([
  ["debug", "debug"],
  ["info", "info"],
  ["notice", "info"],
  ["warning", "warn"],
  ["error", "error"],
  ["critical", "error"],
  ["alert", "error"],
  ["emergency", "error"],
]);

/** A log notification in words. `data` may be any JSON (protocol.md 1.15). */
function logOf(params: JsonObject): { level: LogLevel; text: string } {
  const { level, logger, data } = withKnownLevel(params) ?? params;
  const text = clip(typeof data === "string" ? data : (JSON.stringify(data) ?? ""), textMax);
  return {
    level: levels.get(level) ?? "info",
    text: typeof logger === "string" && logger !== "" ? `${clip(logger, 200)}: ${text}` : text,
  };
}

/** The same, without data that nobody could write down again: to find that out by trying takes seconds. */
function writable(params: JsonObject): JsonObject {
  if (!isDeeper(params, depthMax)) return params;
  const { level, logger } = params;
  return {
    ...(typeof level === "string" && { level }),
    ...(typeof logger === "string" && { logger }),
    data: "(data nested too deeply to show)",
  };
}
