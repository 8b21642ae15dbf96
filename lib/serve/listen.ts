/** Taking a port or a socket: what may not be listened at, and what is wrong where it cannot be. */
import { HostError } from "../base/errors.ts";
import { idleSeconds } from "./exchange.ts";
import type { SocketData } from "./exchange.ts";
import { isLoopback } from "./guard.ts";

export interface ListenOptions {
  hostname: string;
  port: number;
  /** In place of both. */
  unix: string | undefined;
  tls: { cert: string; key: string } | undefined;
  /** Every request must carry a token. */
  asksToken: boolean;
  /** The handlers. */
  serve: Pick<Bun.Serve.Options<SocketData>, "fetch" | "error"> & {
    routes: Record<string, (request: Bun.BunRequest) => Promise<Response>>;
    websocket: Bun.WebSocketHandler<SocketData>;
  };
}

/** @throws HostError `usage` `config` */
export function listen({
  hostname,
  port,
  unix,
  tls,
  asksToken,
  serve,
}: ListenOptions): Bun.Server<SocketData> {
  if (unix === undefined && !asksToken && !isLoopback(hostname))
    throw new HostError(
      "usage",
      `${hostname} is not a loopback address: others can reach it, so it needs a token`,
      {
        hint: "set MCPHOST_TOKEN or give --token-file FILE",
      },
    );
  const common = {
    ...serve,
    development: false,
    // We count bodies ourselves, and answer in JSON.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: idleSeconds,
    ...(tls && { tls }),
  };
  try {
    return unix === undefined
      ? Bun.serve<SocketData>({ ...common, hostname, port } as Bun.Serve.Options<SocketData>)
      : Bun.serve<SocketData>({ ...common, unix } as unknown as Bun.Serve.Options<SocketData>);
  } catch (error) {
    throw cannotListen(error, unix ?? `${hostname}:${port}`, port);
  }
}

// --- internal ---

function cannotListen(error: unknown, where: string, port: number): HostError {
  const { code } = error as { code?: string };
  if (code === "EADDRINUSE")
    return new HostError("config", `${where} is taken: another program listens there`, {
      facts: { port },
      hint: `lsof -i :${port} (or ss -ltnp) shows which; --port N takes another, --port 0 any free one`,
      cause: error,
    });
  const why = error instanceof Error ? error.message : String(error);
  return new HostError("config", `cannot listen at ${where}: ${why}`, {
    facts: { port },
    cause: error,
  });
}
