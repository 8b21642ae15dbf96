/**
 * `/events`: what happens in the host, as a stream. Everybody hears of servers, and of their own calls alone. A slow
 * listener loses the oldest events, and is told how many.
 */
import type { HostEvent } from "../host/types.ts";
import { boundOf } from "./bound.ts";
import { errorBody, HttpError } from "./http-error.ts";
import { type EventStream, eventStream } from "./stream.ts";
import type { Caller, Route, ServeContext } from "./types.ts";

/** Listeners at a time; events that wait for one of them; characters given to its connection at a time. */
export interface EventsBounds {
  listenersMax: number;
  queueMax: number;
  sendMax: number;
}

const bounds: EventsBounds = { listenersMax: 200, queueMax: 1000, sendMax: 64 * 1024 };

export function eventsRoutes(context: ServeContext): Route[] {
  const listeners = boundOf(bounds.listenersMax);
  return [
    {
      method: "GET",
      path: "/events",
      handle(exchange) {
        if (!listeners.take())
          throw new HttpError(503, "busy", `${listeners.max} listen to events: no more for now`, {
            headers: { "retry-after": "5" },
          });
        try {
          const scope = new DisposableStack();
          scope.defer(() => listeners.release());
          const onClose = () => scope.dispose();
          const stream = eventStream(exchange, context, { onClose });
          const queue = new EventQueue(stream, bounds);
          scope.use(context.host.onEvent(teller(exchange.caller, context, queue)));
          return stream.response;
        } catch (error) {
          listeners.release();
          throw error;
        }
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

/** Puts what the caller may hear into the queue. */
function teller(
  { owner }: Caller,
  { now, redact }: ServeContext,
  queue: EventQueue,
): (event: HostEvent) => void {
  return (event) => {
    const isCall = event.type === "call_start" || event.type === "call_end";
    if (isCall && event.owner !== owner) return;
    const { type, ...facts } = event;
    const error = event.type === "server_state" && event.error;
    const shown = { ...facts, ...(error && { error: errorBody(error) }), at: now() };
    queue.push({ event: type, data: redact(JSON.stringify(shown)) });
  };
}
