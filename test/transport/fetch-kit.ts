/** What the tests of the fetch share: a fetch that keeps its log, servers in raw bytes, and certificates. */
import { join } from "node:path";

import { type HostError, isHostError } from "../../lib/base/errors.ts";
import type { LogEntry } from "../../lib/base/log.ts";
import type { FetchOptions } from "../../lib/transport/fetch-types.ts";
import { createFetch } from "../../lib/transport/fetch.ts";
import { root } from "../harness.ts";

/** A fetch of the server `srv`, with what it logged. */
export function fetchOf(options: Partial<FetchOptions> = {}) {
  const logs: LogEntry[] = [];
  const fetch = createFetch({ name: "srv", log: (entry) => void logs.push(entry), ...options });
  return Object.assign(fetch, { logs });
}

/** A POST as the transport sends it. */
export const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };

/** The error that a request ends in. */
export async function errorOf(request: Promise<unknown>): Promise<HostError> {
  try {
    await request;
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
  throw new Error("expected an error");
}

/** A PEM file of the fixtures: `ca.pem`, `server.pem`, `server.key.pem`, … */
export function pem(name: string): Promise<string> {
  return Bun.file(pemPath(name)).text();
}

export function pemPath(name: string): string {
  return join(root, "test/fixtures/tls", name);
}

type Handler = (request: Request) => Response | Promise<Response>;

/** A server of HTTPS with this certificate of the fixtures. */
export async function tlsServer(
  certificate: string,
  tls: object = {},
  handler: Handler = () => new Response("over TLS"),
) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: {
      cert: await pem(`${certificate}.pem`),
      key: await pem(`${certificate}.key.pem`),
      ...tls,
    },
    fetch: handler,
  });
  return closing(server, `https://127.0.0.1:${server.port}/mcp`);
}

/** A server in raw bytes: `onData` is called for what comes on connection and request number, both from 1. */
export function rawServer(
  onData: (
    socket: Bun.Socket<{ connection: number; requests: number }>,
    at: { connection: number; request: number; text: string },
  ) => void,
) {
  let connections = 0;
  const server = Bun.listen<{ connection: number; requests: number }>({
    port: 0,
    hostname: "127.0.0.1",
    socket: {
      open(socket) {
        socket.data = { connection: ++connections, requests: 0 };
      },
      data(socket, bytes) {
        const { connection } = socket.data;
        onData(socket, { connection, request: ++socket.data.requests, text: bytes.toString() });
      },
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    port: server.port,
    connections: () => connections,
    [Symbol.dispose]: () => server.stop(true),
  };
}

/** A server over HTTP by a handler. */
export function httpServer(handler: Handler, options: { hostname?: string; port?: number } = {}) {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", ...options, fetch: handler });
  return closing(server, `http://127.0.0.1:${server.port}/mcp`);
}

/** A port where nothing listens. */
export async function closedPort(): Promise<number> {
  const server = Bun.listen({ port: 0, hostname: "127.0.0.1", socket: { data() {} } });
  const { port } = server;
  server.stop(true);
  return port;
}

// --- internal ---

function closing(server: Bun.Server<undefined>, url: string) {
  const port = server.port ?? 0;
  return { url, port, server, [Symbol.asyncDispose]: () => server.stop(true) };
}
