/** A server that listens, until it is told to end: nothing new, then what runs ends, then what is left is told. */
import { settlesWithin } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import type { Running } from "./running.ts";
import type { Served, ServeOptions } from "./serve-types.ts";
import type { SocketData } from "./sockets.ts";
import type { ServeContext } from "./types.ts";

/** What a server ends with. */
export interface Ending {
  options: Pick<ServeOptions, "unix" | "graceMs">;
  context: ServeContext;
  stopping: AbortController;
  ending: AbortController;
  running: Running;
}

export function served(
  server: Bun.Server<SocketData>,
  { options, context, stopping, ending, running }: Ending,
): Served {
  const closed = Promise.withResolvers<void>();
  let stops = 0;
  const end = async () => {
    const reason = new HostError("cancelled", "mcphost serve is stopping", {
      facts: { stopping: true },
    });
    stopping.abort(reason);
    // Answers that are made, and on their way.
    const quiet = Promise.all([running.none(), server.stop()]);
    if (!(await settlesWithin(quiet, options.graceMs ?? graceDefaultMs))) {
      ending.abort(reason);
      await settlesWithin(quiet, toldMs);
    }
    await server.stop(true);
  };
  const stop = async () => {
    stops += 1;
    if (stops === 1) void end().finally(closed.resolve);
    else {
      ending.abort(
        new HostError("cancelled", "mcphost serve was stopped at once", {
          facts: { stopping: true },
        }),
      );
      await server.stop(true);
      closed.resolve();
    }
    await closed.promise;
  };
  return {
    url: options.unix === undefined ? server.url.origin : `unix:${options.unix}`,
    port: options.unix === undefined ? server.port : undefined,
    context,
    stop,
    closed: closed.promise,
    [Symbol.asyncDispose]: stop,
  };
}

// --- internal ---

const graceDefaultMs = 3000;
/** For the answers of those whose time was over. */
const toldMs = 500;
