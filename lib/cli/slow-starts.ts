/** Says on a terminal which servers take long to start (a package that is fetched first). It starts and asks nothing. */
import type { OpenedHost } from "../host/types.ts";
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
  prepared: { has(server: string): boolean },
  status: NonNullable<Io["status"]>,
): Disposable & { draw(): void } {
  let isSlow = false;
  let isShown = false;
  const draw = () => {
    const starting = host.servers().filter(({ state }) => state === "starting");
    const names = starting.map(({ name }) => name);
    const line = isSlow && names.every((name) => prepared.has(name)) ? lineOf(names) : undefined;
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

function lineOf(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const all = names.map((name) => visible(JSON.stringify(name))).join(", ");
  return names.length === 1
    ? `starting server ${all} …`
    : `starting ${names.length} servers: ${all} …`;
}
