/** Hosts over servers that last. */
import type { LogEntry } from "../../lib/base/log.ts";
import { createHost } from "../../lib/host/create.ts";
import type { HostOptions } from "../../lib/host/option-types.ts";
import { type RemoteServerOptions, serveRemote } from "../fixtures/remote/server.ts";

/** A server by a URL, and a host over it. */
export async function remote(options: RemoteServerOptions, more: Partial<HostOptions> = {}) {
  const server = await serveRemote(options);
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry) => void logged.push(entry);
  const host = await createHost({ servers: { far: { url: server.url } }, log, ...more });
  const times = (method: string) => server.methods().filter((one) => one === method).length;
  return {
    host,
    server,
    logged,
    times,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
