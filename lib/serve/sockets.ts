/** WebSockets of `serve`: what `Bun.serve` does with them is handed to the face that made each. */
import type { Socket, SocketHandlers } from "./types.ts";

/** What a WebSocket of ours carries. */
export interface SocketData {
  handlers: SocketHandlers;
  release: () => void;
  /** Fires when it has to end. */
  gone: AbortSignal | undefined;
  /** Ends it. */
  end?: () => void;
  pulse?: ReturnType<typeof setInterval>;
}

/** What `Bun.serve` does with our sockets. */
export const socketHandler = {
  // Faces count by themselves what waits; what is dropped unasked would be an answer.
  backpressureLimit: 0,
  open(socket: Bun.ServerWebSocket<SocketData>) {
    const { data } = socket;
    data.end = () => socket.close(policyViolation, "the token counts no more");
    data.gone?.addEventListener("abort", data.end, { once: true });
    // Proxies end a connection on which nothing comes for a minute, and Bun's own pings come later.
    data.pulse = setInterval(() => socket.ping(), pingMs).unref();
    data.handlers.open?.(asSocket(socket));
  },
  message: (socket: Bun.ServerWebSocket<SocketData>, data: string | Uint8Array) =>
    socket.data.handlers.message(asSocket(socket), data),
  drain: (socket: Bun.ServerWebSocket<SocketData>) =>
    socket.data.handlers.drain?.(asSocket(socket)),
  close(socket: Bun.ServerWebSocket<SocketData>, code: number, reason: string) {
    const { release, gone, end, pulse, handlers } = socket.data;
    clearInterval(pulse);
    if (end !== undefined) gone?.removeEventListener("abort", end);
    release();
    handlers.close?.(asSocket(socket), code, reason);
  },
};

// --- internal ---

/** As often as streams of events are kept alive. */
const pingMs = 15_000;

/** RFC 6455, 7.4.1. */
const policyViolation = 1008;

/** One and the same object for a connection, so that faces may keep it as a key. */
function asSocket(socket: Bun.ServerWebSocket<SocketData>): Socket {
  return socket;
}
