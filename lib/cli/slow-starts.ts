/** Says on a terminal which servers take long to start (a package that is fetched first) or to be reached. It starts and asks nothing. */
import type { ServerConfig } from "../config/types.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import type { Io } from "./types.ts";
import { visible } from "./visible.ts";

/** How long nobody wonders. */
const slowMs = 700;

/**
 * Shows it from `slowMs` on, until disposed. `prepared` holds the servers that nobody is asked about any more: while
 * somebody may be, the terminal belongs to the question. `draw` is to be called when that changes.
 */
export function slowStarts(
  host: Pick<OpenedHost, "servers" | "events">,
  prepared: ReadonlyMap<string, Pick<ServerConfig, "kind">>,
  status: NonNullable<Io["status"]>,
): Disposable & { draw(): void } {
  let isSlow = false;
  let isShown = false;
  const draw = () => {
    const starting = host.servers().filter(({ state }) => state === "starting");
    const names = starting.map(({ name }) => name);
    const kinds = new Set(names.map((name) => prepared.get(name)?.kind));
    const line = isSlow && !kinds.has(undefined) ? lineOf(names, kinds) : undefined;
    // Where it is not ours, the line may be somebody else's.
    if (isShown || line !== undefined) status(line);
    isShown = line !== undefined;
  };
  const timer = setTimeout(() => {
    isSlow = true;
    draw();
  }, slowMs);
  void (async () => {
    for await (const { type } of host.events()) if (type === "server_state") draw();
  })();
  return {
    draw,
    [Symbol.dispose]() {
      clearTimeout(timer);
      isSlow = false;
      draw();
    },
  };
}

// --- internal ---

function lineOf(
  names: readonly string[],
  kinds: ReadonlySet<ServerConfig["kind"] | undefined>,
): string | undefined {
  if (names.length === 0) return undefined;
  const all = names.map((name) => visible(JSON.stringify(name))).join(", ");
  // A server that has an address runs already, or does not.
  const doing = kinds.has("stdio") ? "starting" : "reaching";
  return names.length === 1
    ? `${doing} server ${all} …`
    : `${doing} ${names.length} servers: ${all} …`;
}
