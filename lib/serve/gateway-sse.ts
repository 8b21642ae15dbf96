/**
 * The gateway for HTTP+SSE clients (2024-11-05): `/sse` and `/sse/SERVER` are the streams, each with an address of its own
 * that is posted to. The end of the stream is the end of all (protocol.md 1.7).
 */
import type { Json } from "../base/json.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { Duplex } from "./gateway-duplex.ts";
import type { HttpWorld } from "./gateway-http-question.ts";
import { refuse } from "./gateway-refuse.ts";
import type { Scope } from "./gateway-types.ts";
import { readJson } from "./read-json.ts";
import { eventStream } from "./stream.ts";
import { inTrace } from "./trace.ts";
import type { Exchange, Route } from "./types.ts";

/** @param at what an exchange may see; it throws HttpError 404 */
export function sseRoutes(
  { gateway, context }: HttpWorld,
  at: (exchange: Exchange) => Scope,
): Route[] {
  const { stopping, streams } = context;
  const links = new Map<string, { duplex: Duplex; owner: string }>();

  const open = (exchange: Exchange): Response => {
    const scope = at(exchange);
    const id = crypto.randomUUID();
    // What runs when the process stops is still answered.
    const over = new AbortController();
    const stop = () => void duplex.idle().then(() => over.abort());
    const stream = eventStream(
      { keepOpen: (isOpen) => exchange.keepOpen(isOpen), signal: exchange.left },
      { streams, stopping: over.signal },
      {
        onClose() {
          links.delete(id);
          duplex[Symbol.dispose]();
          stopping.removeEventListener("abort", stop);
        },
      },
    );
    const duplex = new Duplex({
      gateway,
      scope,
      send(data, isAside) {
        if (stream.waiting > answersMax) stream.end();
        else if (!isAside || stream.waiting < waitingMax) stream.send({ event: "message", data });
      },
    });
    stopping.addEventListener("abort", stop, { once: true });
    links.set(id, { duplex, owner: scope.owner });
    stream.send({ event: "endpoint", data: `/messages?sessionId=${id}` });
    return stream.response;
  };

  const post = async (exchange: Exchange): Promise<Response> => {
    const link = links.get(exchange.url.searchParams.get("sessionId") ?? "");
    // An id is no credential: to another owner it is not there.
    if (link === undefined || link.owner !== exchange.caller.owner)
      return refuse(404, new RpcError({ code: -32001, message: "Session not found" }));
    const text = await exchange.text();
    let value: Json;
    try {
      value = readJson(text);
    } catch {
      return refuse(400, new RpcError({ code: -32700, message: "Parse error" }));
    }
    link.duplex.take(inTrace(value, exchange.request));
    return new Response("Accepted", { status: 202 });
  };

  return [
    { method: "GET", path: "/sse", handle: open },
    { method: "GET", path: "/sse/:server", handle: open },
    { method: "POST", path: "/messages", handle: post },
  ];
}

// --- internal ---

/** Characters that a client may leave untaken; what answers nothing is lost beyond, and a client that leaves far more is let go. */
const waitingMax = 4_194_304;
const answersMax = 67_108_864;
