/** What a command learns of servers for later ones: read when it is needed, written when all else is done. */
import type { Log } from "../base/log.ts";
import { verdictStore } from "../client/eras.ts";
import type { ToolList } from "../client/types.ts";
import { mayHaveKeptLists, ourPaths } from "../config/paths.ts";
import type { ServerConfig } from "../config/types.ts";
import type { ToolListStore, VerdictStore } from "../host/option-types.ts";
import type { Io, KnownEra } from "./types.ts";

/**
 * Verdicts are written when all else is done: nobody waits for a file.
 * @param known of a server that was spoken with: that is gone on with, whatever is remembered by now
 */
export function deferredVerdicts(
  io: Io,
  log: Log,
  known: KnownEra | undefined,
): (VerdictStore & { flush(): Promise<void> }) | undefined {
  const folder = ourPaths(io.env).cache;
  if (folder === undefined) return undefined;
  const store = verdictStore({ folder, log });
  const learned = new Map<string, Parameters<VerdictStore["write"]>[1]>();
  return {
    read: async (key) => (key === known?.key ? known.verdict : await store.read(key)),
    async write(key, verdict) {
      learned.set(key, verdict);
    },
    async flush() {
      for (const [key, verdict] of learned) await store.write(key, verdict);
      learned.clear();
    },
  };
}

/**
 * Lists of tools are read of servers that were made ready to start (`started`), and written when all else is done.
 * @param known of a server that was spoken with: none was kept then, and it was asked
 */
export function deferredLists(
  io: Io,
  started: ReadonlyMap<string, ServerConfig>,
  known: KnownEra | undefined,
): ToolListStore & { flush(): Promise<void> } {
  const learned = new Map<string, ToolList | undefined>();
  return {
    async read(name) {
      const server = started.get(name);
      if (server === undefined || known !== undefined || !mayHaveKeptLists(io.env))
        return undefined;
      return (await import("./kept-tools.ts")).readKept(io, server);
    },
    write(name, list) {
      if ((list.freshUntil ?? 0) > performance.now()) learned.set(name, list);
    },
    forget: (name) => void learned.set(name, undefined),
    async flush() {
      for (const [name, list] of learned) {
        const server = started.get(name);
        if (server === undefined) continue;
        const { dropKept, writeKept } = await import("./kept-tools.ts");
        await (list === undefined ? dropKept(io, server) : writeKept(io, server, list));
      }
      learned.clear();
    },
  };
}
