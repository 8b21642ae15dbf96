/** What a found config names that can run code: servers and plugins, each as it is shown and as its trust is kept. Starts nothing. */
import { needsTrust } from "../config/trust.ts";
import type { Trusted, TrustStore } from "../config/trust.ts";
import { configFromFlags } from "./config-flags.ts";
import { entryWords, powerOf } from "./consent.ts";
import { placeOf } from "./plugin-places.ts";
import { pluginWords, trustedPlugin } from "./plugin-trust.ts";
import type { Io } from "./types.ts";

/** An entry, and all that a person must see of it. */
export interface TrustEntry extends Trusted {
  words: string;
  /** What trust lets it do. */
  power: string;
}

/** Those that were found from here and are not trusted as they stand now, and the names of all that is configured here. */
export async function foundHere(
  store: TrustStore,
  io: Io,
): Promise<{ waiting: TrustEntry[]; known: string[] }> {
  const parsed = { flags: {}, positionals: [], rest: undefined };
  const { servers, plugins } = await configFromFlags(parsed, io);
  const ofServers = servers.filter(needsTrust).map((server): TrustEntry => {
    const { name, origin, written } = server;
    return { name, origin, written, words: entryWords(server), power: powerOf(server) };
  });
  const ofPlugins = plugins
    .filter(({ origin }) => origin.kind === "found")
    .map(async (entry): Promise<TrustEntry> => {
      const placed = { ...entry, ...placeOf(entry, io) };
      const power = "can do all that you can, in this very program";
      return { ...(await trustedPlugin(placed)), words: pluginWords(placed), power };
    });
  const entries = [...ofServers, ...(await Promise.all(ofPlugins))];
  const trusted = await Promise.all(entries.map((entry) => store.isTrusted(entry)));
  return {
    waiting: entries.filter((_, at) => !trusted[at]),
    known: [...new Set([...servers, ...entries].map(({ name }) => name))],
  };
}
