/** Scripted servers behind a link like that of HTTP: each request is an exchange of its own, which may be refused. */
import { Channel } from "../../lib/base/channel.ts";
import { HostError } from "../../lib/base/errors.ts";
import type { JsonObject } from "../../lib/base/json.ts";
import type { ConnectOptions } from "../../lib/client/connect-types.ts";
import type { Message } from "../../lib/protocol/jsonrpc.ts";
import type { CloseInfo, Incoming, Transport } from "../../lib/transport/transport.ts";

/** What becomes of one request: an answer, a status without one, an error of the way there; undefined: nothing. */
export type Exchange =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
  | { status: number }
  | { failure: HostError }
  | undefined;

export interface Asked {
  method: string;
  params: JsonObject & { [key: string]: any };
}

export interface HttpScripted {
  options: ConnectOptions;
  /** The methods of all that was sent, over all links. */
  methods: string[];
  links: number;
}

export function httpScripted(
  answer: (asked: Asked) => Exchange | Promise<Exchange>,
  extra: Partial<ConnectOptions> = {},
): HttpScripted {
  const methods: string[] = [];
  const state: HttpScripted = {
    methods,
    links: 0,
    options: {
      name: "far",
      link: "http",
      clientInfo: { name: "test", version: "0" },
      answers: {},
      log: () => {},
      signal: new AbortController().signal,
      probeTimeoutMs: 20,
      startTimeoutMs: 5000,
      open: async () => {
        state.links++;
        return transport(answer, methods);
      },
      ...extra,
    },
  };
  return state;
}

/** A request that was answered by a status alone. */
export function refusal(httpStatus: number, body?: string): HostError {
  return new HostError("rpc_error", `server "far" answered HTTP ${httpStatus}`, {
    facts: { server: "far", sent: true, httpStatus, ...(body !== undefined && { body }) },
  });
}

export function unreached(): HostError {
  return new HostError("server_exit", 'server "far": nothing listens there', {
    facts: { server: "far", sent: false, errno: "ECONNREFUSED" },
    hint: "is the server running?",
  });
}

// --- internal ---

function transport(
  answer: (asked: Asked) => Exchange | Promise<Exchange>,
  methods: string[],
): Transport {
  const incoming = new Channel<Incoming>();
  const { promise: closed, resolve } = Promise.withResolvers<CloseInfo>();
  return {
    incoming,
    closed,
    facts: () => ({}),
    async send(message: Message) {
      if (!("method" in message)) return;
      const { method, params = {} } = message;
      methods.push(method);
      if (!("id" in message)) return;
      const { id } = message;
      void (async () => {
        const outcome = await answer({ method, params });
        if (outcome === undefined) return;
        if ("status" in outcome || "failure" in outcome) {
          const error = "failure" in outcome ? outcome.failure : refusal(outcome.status);
          return void incoming.push({ failed: { id, error } });
        }
        const reply = { jsonrpc: "2.0", id, ...outcome } as Message;
        return void incoming.push({ message: reply, text: JSON.stringify(reply) });
      })();
    },
    async [Symbol.asyncDispose]() {
      incoming.end();
      resolve({ kind: "local" });
    },
  };
}
