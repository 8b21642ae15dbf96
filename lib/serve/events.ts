/**
 * `/events`: what happens in the host, as a stream. Everybody hears of servers, and of their own calls alone. A slow
 * listener loses the oldest events, and is told how many.
 */
import type { HostEvent } from "../host/types.ts";
import { boundOf } from "./bound.ts";
import { errorBody, HttpError } from "./http-error.ts";
import { type EventStream, eventStream } from "./stream.ts";
import type { Bound, Caller, Exchange, Route, ServeContext } from "./types.ts";

/** Listeners at a time; events that wait for one of them; characters given to its connection at a time. */
export interface EventsBounds {
  listenersMax: number;
  queueMax: number;
  sendMax: number;
}

const nameMax = 200;

const bounds: EventsBounds = { listenersMax: 200, queueMax: 1000, sendMax: 64 * 1024 };

export function eventsRoutes(context: ServeContext): Route[] {
  const listeners = boundOf(bounds.listenersMax);
  const queues = new Map<EventQueue, Caller["owner"]>();
  // As long as anybody listens: there may be many events.
  let watching: Disposable | undefined;
  const left = () => {
    watching?.[Symbol.dispose]();
    watching = undefined;
  };
  context.stopping.addEventListener("abort", left, { once: true });
  return [
    {
      method: "GET",
      path: "/events",
      handle(exchange) {
        if (!listeners.take())
          throw new HttpError(503, "busy", `${listeners.max} listen to events: no more for now`, {
            headers: { "retry-after": "5" },
          });
        let queue: EventQueue | undefined;
        const onClose = () => {
          listeners.release();
          if (queue !== undefined) queues.delete(queue);
          if (queues.size === 0) left();
        };
        const stream = openStream(exchange, context, { listeners, onClose });
        queue = new EventQueue(stream, bounds);
        queues.set(queue, exchange.caller.owner);
        watching ??= context.host.onEvent((event) => tell(event, queues, context));
        return stream.response;
      },
    },
  ];
}

/** Events on their way to one listener, at most `queueMax` of them. */
export class EventQueue {
  readonly #stream: Pick<EventStream, "send" | "waiting" | "drained" | "closed">;
  readonly #bounds: EventsBounds;
  #waiting: { event: string; data: string }[] = [];
  #lost = 0;
  #isPumping = false;

  constructor(
    stream: Pick<EventStream, "send" | "waiting" | "drained" | "closed">,
    limits: EventsBounds,
  ) {
    this.#stream = stream;
    this.#bounds = limits;
  }

  push(event: { event: string; data: string }): void {
    this.#waiting.push(event);
    if (this.#waiting.length > this.#bounds.queueMax) {
      this.#waiting.shift();
      this.#lost += 1;
    }
    if (!this.#isPumping) void this.#pump();
  }

  // --- internal ---

  async #pump(): Promise<void> {
    const stream = this.#stream;
    this.#isPumping = true;
    while (this.#waiting.length > 0 && !stream.closed) {
      if (stream.waiting > this.#bounds.sendMax) {
        await stream.drained();
        continue;
      }
      if (this.#lost > 0)
        stream.send({ event: "lost", data: JSON.stringify({ events: this.#lost }) });
      this.#lost = 0;
      stream.send(this.#waiting.shift()!);
    }
    this.#isPumping = false;
  }
}

// --- internal ---

/** @throws HttpError 503, and then nobody listens */
function openStream(
  exchange: Exchange,
  context: ServeContext,
  { listeners, onClose }: { listeners: Bound; onClose: () => void },
): EventStream {
  try {
    return eventStream(exchange, context, { onClose });
  } catch (error) {
    listeners.release();
    throw error;
  }
}

/** Writes an event once, for all who may hear of it. */
function tell(
  event: HostEvent,
  queues: ReadonlyMap<EventQueue, Caller["owner"]>,
  { now, redact }: ServeContext,
): void {
  const { type, ...facts } = event;
  const owner = type === "call_start" || type === "call_end" ? event.owner : undefined;
  const error = type === "server_state" ? event.error : undefined;
  // The name of a tool that is none is as long as a client likes.
  if ("tool" in facts) facts.tool = facts.tool.slice(0, nameMax);
  const shown = { ...facts, ...(error && { error: errorBody(error) }), at: now() };
  const line = { event: type, data: redact(JSON.stringify(shown)) };
  for (const [queue, listener] of queues)
    if (owner === undefined || owner === listener) queue.push(line);
}
