/**
 * What is seen of `serve` and `gateway` while they run: servers as they start and end, calls as they end, or only what is
 * wrong with a server. Clients of either are not told what a server wrote on stderr: here it stands.
 */
import { shorten } from "../base/clip.ts";
import type { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import type { EventOf } from "../host/types.ts";
import { telling } from "./report.ts";
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
      log({ level: "warn", text: [text, ...saidOf(error)].join("\n") });
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

/** The last that it wrote on stderr, a line each. */
function saidOf({ facts: { stderr } }: HostError): string[] {
  const lines = Array.isArray(stderr) ? telling(stderr.map(String), linesMax) : [];
  return lines.map((line) => `stderr: ${shorten(line, 500)}`);
}

const linesMax = 2;

function textOf(event: EventOf<"server_state" | "call_end">): string {
  const server = `[${event.server}]`;
  if (event.type === "server_state") {
    const { error } = event;
    if (error !== undefined) return [wordsOf(error), ...saidOf(error)].join("\n");
    return `${server} ${states[event.state] ?? event.state}`;
  }
  const by = event.owner === "default" ? "" : ` for ${event.owner}`;
  return `${server} ${event.tool} ${event.status}${by}, ${Math.round(event.durationMs)} ms`;
}
