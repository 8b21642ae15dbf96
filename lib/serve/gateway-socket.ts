/** The gateway over WebSocket: `/ws` shows all servers, `/ws/SERVER` one. A message is a text frame; who leaves has cancelled. */
import { Duplex } from "./gateway-duplex.ts";
import type { HttpWorld } from "./gateway-http-question.ts";
import type { Scope } from "./gateway-types.ts";
import type { Exchange, Route, Socket } from "./types.ts";

/** @param at what an exchange may see; it throws HttpError 404 */
export function socketRoutes(
  { gateway, context }: HttpWorld,
  at: (exchange: Exchange) => Scope,
): Route[] {
  const { stopping } = context;
  const handle = (exchange: Exchange): undefined => {
    const scope = at(exchange);
    const decoder = new TextDecoder();
    let duplex: Duplex | undefined;
    let junk = 0;
    const stop = (socket: Socket) => void duplex?.idle().then(() => socket.close(goingAway));
    let onStop: (() => void) | undefined;
    exchange.upgrade(
      {
        open(socket) {
          duplex = new Duplex({
            gateway,
            scope,
            send: (text, isAside) => send(socket, text, isAside),
          });
          onStop = () => stop(socket);
          stopping.addEventListener("abort", onStop, { once: true });
        },
        message(socket, data) {
          const isRead = duplex?.receive(typeof data === "string" ? data : decoder.decode(data));
          junk = isRead === false ? junk + 1 : 0;
          if (junk === junkMax) socket.close(violated, "this is no JSON-RPC");
        },
        close() {
          duplex?.[Symbol.dispose]();
          if (onStop !== undefined) stopping.removeEventListener("abort", onStop);
        },
      },
      speaksMcp(exchange) ? { "sec-websocket-protocol": "mcp" } : undefined,
    );
  };
  return ["/ws", "/ws/:server"].map((path) => ({ method: "GET", path, handle }));
}

// --- internal ---

/** RFC 6455, 7.4.1. */
const goingAway = 1001;
const violated = 1008;
/** Messages in a row that are no JSON: who sends them speaks something else, and would go on. */
const junkMax = 100;
/** Bytes that a client may leave untaken; what answers nothing is lost beyond, and a client that leaves far more is let go. */
const waitingMax = 4_194_304;
const bufferedMax = 268_435_456;

function send(socket: Socket, text: string, isAside: boolean): void {
  const buffered = socket.getBufferedAmount();
  if (isAside && buffered > waitingMax) return;
  // It would not take a word of farewell either.
  if (buffered > bufferedMax || socket.send(text) === 0) socket.terminate();
}

function speaksMcp({ request }: Exchange): boolean {
  const asked = request.headers.get("sec-websocket-protocol") ?? "";
  return asked.split(",").some((one) => one.trim() === "mcp");
}
