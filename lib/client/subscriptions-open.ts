/**
 * One subscription on one live client, until it ends: a modern `subscriptions/listen`, or the legacy `resources/subscribe`
 * beside what comes unsolicited (protocol.md 1.10). It is opened once; opening it again is up to subscriptions.ts.
 */
import { abortable } from "../base/async.ts";
import { HostError, isHostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import {
  acknowledged,
  declared,
  isAbout,
  listenParams,
  readUpdate,
  subscriptionIdOf,
} from "../protocol/subscriptions.ts";
import type { Topics, Update } from "../protocol/subscriptions.ts";
import type { McpClient } from "./types.ts";

export interface OpenOptions {
  client: Pick<McpClient, "era" | "capabilities" | "request" | "onNotification" | "closed">;
  /** The server's configured name. */
  name: string;
  topics: Topics;
  /** Called once, before any update, with what the server honours of the topics. */
  onOpen: (honoured: Topics) => void;
  onUpdate: (update: Update) => void;
  /** Ends it, and tells the server. */
  signal: AbortSignal;
  /** The longest wait for an acknowledgement. @default 60000 */
  timeoutMs?: number;
}

/** `ended`: the server ended it in order; `lost`: it broke; `closed`: by our signal. */
export type Ending = "ended" | "lost" | "closed";

/**
 * @throws RpcError the server refused
 * @throws HostError `timeout` (no acknowledgement) · `server_exit` (lost before it was open)
 */
export async function openSubscription(options: OpenOptions): Promise<Ending> {
  if (options.signal.aborted) return "closed";
  return options.client.era === "modern" ? await listen(options) : await subscribe(options);
}

// --- internal ---

const timeoutDefaultMs = 60_000;

async function listen(options: OpenOptions): Promise<Ending> {
  const { client, topics, onOpen, onUpdate, signal } = options;
  const scope = new AbortController();
  let id: number | undefined;
  let isOpen = false;
  let isEnded = false;
  const open = (honoured: Topics) => {
    if (isOpen) return;
    isOpen = true;
    clearTimeout(late);
    onOpen(honoured);
  };
  const late = setTimeout(
    () => scope.abort(unacknowledged(options)),
    options.timeoutMs ?? timeoutDefaultMs,
  );
  const hear = (method: string, params: JsonObject) => {
    if (method === "notifications/cancelled") {
      if (id === undefined || params.requestId !== id) return;
      isEnded = true;
      return scope.abort();
    }
    const update = readUpdate(method, params);
    const of = subscriptionIdOf(params);
    // What is not marked at all may be meant for every stream that asked for it.
    if (of === undefined ? update === undefined || !isAbout(update, topics) : of !== id) return;
    if (method === "notifications/subscriptions/acknowledged")
      return open(acknowledged(params, topics));
    if (update === undefined) return;
    // A server that tells of something without having acknowledged anything means what it was asked for.
    open(topics);
    onUpdate(update);
  };
  using _heard = client.onNotification(hear);
  try {
    await client.request("subscriptions/listen", listenParams(topics), {
      timeoutMs: Number.POSITIVE_INFINITY,
      signal: AbortSignal.any([signal, scope.signal]),
      onId: (given) => (id = given),
    });
    return "ended";
  } catch (error) {
    if (isEnded) return "ended";
    if (signal.aborted) return "closed";
    if (scope.signal.aborted) throw scope.signal.reason;
    if (isOpen && isHostError(error) && error.code === "server_exit") return "lost";
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** What was subscribed to is given up again at the end, where the link still holds. */
async function subscribe(options: OpenOptions): Promise<Ending> {
  const { client, topics, onOpen, onUpdate, signal, timeoutMs = timeoutDefaultMs } = options;
  const honoured = declared(client.capabilities, topics);
  const held: Update[] = [];
  let isOpen = false;
  using _heard = client.onNotification((method, params) => {
    const update = readUpdate(method, params);
    if (update === undefined || !isAbout(update, topics)) return;
    if (isOpen) onUpdate(update);
    else if (held.length < heldMax) held.push(update);
  });
  const subscribed: string[] = [];
  try {
    for (const uri of honoured.uris ?? []) {
      await client.request("resources/subscribe", { uri }, { signal, timeoutMs });
      subscribed.push(uri);
    }
    onOpen(honoured);
    isOpen = true;
    for (const update of held) onUpdate(update);
    // Whoever closed it: as long as our signal did not fire, somebody wants to hear.
    await abortable(client.closed, signal);
    return "lost";
  } catch (error) {
    const given = subscribed.map((uri) =>
      client.request("resources/unsubscribe", { uri }, { timeoutMs: unsubscribeMs }),
    );
    await Promise.allSettled(given);
    if (!signal.aborted) throw error;
    return "closed";
  }
}

const heldMax = 1000;
/** Ctrl-C leaves servers 300 ms. */
const unsubscribeMs = 250;

function unacknowledged({ name, timeoutMs = timeoutDefaultMs }: OpenOptions): HostError {
  const text = `server "${name}" did not acknowledge subscriptions/listen within ${timeoutMs} ms`;
  return new HostError("timeout", text, {
    facts: { server: name, method: "subscriptions/listen", timeoutMs },
  });
}
