/** Routes that tests of the server itself ask: an echo, a stream, a socket, something that hangs, things that throw. */
import { HostError } from "../../lib/base/errors.ts";
import { eventStream } from "../../lib/serve/stream.ts";
import type { Exchange, Face, Route } from "../../lib/serve/types.ts";

/** What was seen by the routes. */
export interface Seen {
  /** Names of routes in the order in which they were reached. */
  asked: string[];
  /** The signals of those that hang. */
  signals: AbortSignal[];
}

export function testFace(seen: Seen): Face {
  const at = (method: Route["method"], path: string, handle: Route["handle"]): Route => ({
    method,
    path,
    handle(exchange) {
      seen.asked.push(`${method} ${exchange.url.pathname}`);
      return handle(exchange);
    },
  });
  return (context) => [
    at("GET", "/hello", () => new Response("hello")),
    at("GET", "/who", ({ caller }) => Response.json(whoIs(caller))),
    { ...at("GET", "/open", ({ caller }) => Response.json(whoIs(caller))), open: true },
    { ...at("POST", "/decide", ({ caller }) => Response.json(whoIs(caller))), decides: true },
    at("GET", "/names/:name", ({ params }) => Response.json(params)),
    at("POST", "/echo", async (exchange) => Response.json({ got: await exchange.json() })),
    at("POST", "/length", async (exchange) => Response.json((await exchange.text()).length)),
    at("POST", "/unread", () => Response.json("not read")),
    at("GET", "/hang", (exchange) => hang(exchange, seen)),
    at("GET", "/hang/told", async (exchange) => {
      await hang(exchange, seen).catch(() => {});
      return new Response("told");
    }),
    at("GET", "/stream", (exchange) => {
      const stream = eventStream(exchange, context, { keepAliveMs: 50 });
      stream.send({ event: "begin", data: "one\ntwo" });
      return stream.response;
    }),
    at("GET", "/quiet", (exchange) => eventStream(exchange, context).response),
    at("GET", "/socket", (exchange) => {
      exchange.upgrade({ message: (socket, data) => void socket.send(`re: ${String(data)}`) });
      return undefined;
    }),
    at("GET", "/fails", () => {
      throw new HostError("server_start", 'server "x" cannot be started: /home/me/bin/x is gone', {
        facts: { server: "x", stderr: ["secret"], file: "/home/me/x.json" },
        hint: "look into C:\\Users\\me\\x.log",
      });
    }),
    at("GET", "/breaks", () => {
      throw new TypeError("secret of /home/me");
    }),
  ];
}

// --- internal ---

function whoIs({ owner, hasToken, allows, isStranger = false }: Exchange["caller"]): object {
  return { owner, hasToken, isStranger, reads: allows(["fs_read"]), writes: allows(["fs_write"]) };
}

function hang({ signal }: Exchange, { signals }: Seen): Promise<Response> {
  signals.push(signal);
  const { promise, reject } = Promise.withResolvers<Response>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}
