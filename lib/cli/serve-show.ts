/** What a person at the terminal sees of `serve` while it runs: servers as they start and end, calls as they end. */
import type { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import type { EventOf } from "../host/types.ts";
import type { Io } from "./types.ts";
import { hanging, visible } from "./visible.ts";

/** Shows it on stderr until disposed. */
export function showEvents(host: Pick<OpenedHost, "onEvent">, io: Pick<Io, "stderr">): Disposable {
  return host.onEvent(
    (event) => {
      void io.stderr.write(`${visible(hanging(textOf(event)))}\n`);
    },
    ["server_state", "call_end"],
  );
}

/** Where nobody looks on: only what is wrong with a server is said. */
export function logFailures(host: Pick<OpenedHost, "onEvent">, log: Log): Disposable {
  const said = new Map<string, string>();
  return host.onEvent(
    ({ server, state, error }) => {
      if (state === "ready") said.delete(server);
      if (error === undefined || error.code === "cancelled") return;
      const text = wordsOf(error);
      // Whoever lists tools tries it again.
      if (said.get(server) === text) return;
      said.set(server, text);
      log({ level: "warn", text });
    },
    ["server_state"],
  );
}

// --- internal ---

const states: Readonly<Record<string, string>> = {
  starting: "starting",
  ready: "ready",
  idle: "at rest until it is used",
  stopped: "stopped",
};

function wordsOf({ message, hint }: HostError): string {
  return hint === undefined ? message : `${message}; ${hint}`;
}

function textOf(event: EventOf<"server_state" | "call_end">): string {
  const server = `[${event.server}]`;
  if (event.type === "server_state") {
    if (event.error !== undefined) return wordsOf(event.error);
    return `${server} ${states[event.state] ?? event.state}`;
  }
  const by = event.owner === "default" ? "" : ` for ${event.owner}`;
  return `${server} ${event.tool} ${event.status}${by}, ${Math.round(event.durationMs)} ms`;
}
