/** Taking a port or a socket: what may not be listened at, and what is wrong where it cannot be. */
import { HostError } from "../base/errors.ts";
import { idleSeconds } from "./exchange.ts";
import { isLoopback } from "./guard.ts";
import type { SocketData } from "./sockets.ts";

export interface ListenOptions {
  hostname: string;
  port: number;
  tls: { cert: string; key: string } | undefined;
  /** Every request must carry a token. */
  asksToken: boolean;
  /** The handlers. */
  handlers: Handlers;
}

export type Handlers = Pick<Bun.Serve.Options<SocketData>, "fetch" | "error"> & {
  routes: Record<string, (request: Bun.BunRequest) => Response | Promise<Response>>;
  websocket: Bun.WebSocketHandler<SocketData>;
};

/** @throws HostError `usage` `config` */
export function listen(options: ListenOptions): Bun.Server<SocketData> {
  const { hostname, port, tls, asksToken, handlers } = options;
  if (!asksToken && !isLoopback(hostname))
    throw new HostError(
      "usage",
      `${hostname} is not a loopback address: others can reach it, so it needs a token`,
      { hint: "set MCPHOST_TOKEN or give --token-file FILE" },
    );
  try {
    return Bun.serve<SocketData>({
      ...common(handlers),
      hostname,
      port,
      ...(tls && { tls }),
    } as Bun.Serve.Options<SocketData>);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE") throw portTaken(hostname, port, error);
    const hint =
      code === "EACCES"
        ? `--port N takes another: those below 1024 are for the administrator`
        : "the host is an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them";
    throw cannotListen(`${hostname}:${port}`, hint, error);
  }
}

/**
 * Listens at a socket that our user alone may use.
 * @throws HostError `config`
 */
export function listenUnix(
  unix: string,
  { tls, handlers }: Pick<ListenOptions, "tls" | "handlers">,
): Bun.Server<SocketData> {
  // In one tick: nobody else makes a file meanwhile.
  const mask = process.umask(0o177);
  try {
    return Bun.serve<SocketData>({
      ...common(handlers),
      unix,
      ...(tls && { tls }),
    } as unknown as Bun.Serve.Options<SocketData>);
  } catch (error) {
    const hint =
      "its folder has to be there and to be yours, and the whole path is short (some 100 bytes)";
    throw cannotListen(unix, hint, error);
  } finally {
    process.umask(mask);
  }
}

// --- internal ---

function common(handlers: Handlers) {
  return {
    ...handlers,
    development: false,
    // Said, since without development Bun shares the port with whoever else listens there, in place of an error.
    reusePort: false,
    // We count bodies ourselves, and answer in JSON.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: idleSeconds,
  };
}

function portTaken(hostname: string, port: number, cause: unknown): HostError {
  return new HostError(
    "config",
    `port ${port} of ${hostname} is taken: another program listens there`,
    {
      facts: { port },
      hint: `lsof -i :${port} (or ss -ltnp) shows which; --port N takes another, --port 0 any free one`,
      cause,
    },
  );
}

function cannotListen(where: string, hint: string, cause: unknown): HostError {
  const why = cause instanceof Error ? cause.message : String(cause);
  if ((cause as { code?: string }).code?.startsWith("ERR_OSSL") === true)
    return new HostError("config", `the certificate or its key cannot be used: ${why}`, { cause });
  return new HostError("config", `cannot listen at ${where}: ${why}`, { hint, cause });
}
