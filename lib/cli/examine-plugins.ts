/** How the plugins of a config are: each is loaded, set up, asked for its tools and ended. No hook of a call is run. */
import { isHostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Config } from "../config/types.ts";
import type { Examination } from "./doctor-types.ts";
import { loadPlugins } from "./plugins.ts";
import type { Io, Parsed } from "./types.ts";

interface With {
  parsed: Parsed;
  io: Io;
  log: Log;
}

/** In the order of the config; what is wrong between two of them is told as one more. @throws what is no fault of theirs */
export async function examinePlugins(config: Config, options: With): Promise<Examination[]> {
  const seen: Examination[] = [];
  for (const entry of config.plugins)
    seen.push(
      await looked(`plugin ${entry.spec}`, () => toolsOf({ ...config, plugins: [entry] }, options)),
    );
  if (seen.length < 2 || seen.some(({ unusable }) => unusable !== undefined)) return seen;
  const all = await looked("plugins", async () => void (await loadPlugins(config, options)));
  return all.unusable === undefined ? seen : [...seen, all];
}

// --- internal ---

async function looked(name: string, look: () => Promise<number | undefined>): Promise<Examination> {
  try {
    const tools = await look();
    return { name, ourEnv: [], ...(tools !== undefined && { tools }) };
  } catch (error) {
    if (!isHostError(error) || error.code === "cancelled") throw error;
    return { name, ourEnv: [], unusable: error };
  }
}

/** How many it brings, where it brings any. */
async function toolsOf(config: Config, { parsed, io, log }: With): Promise<number | undefined> {
  const plugins = await loadPlugins(config, { parsed, io, log });
  await using host = await plugins.openHost({
    servers: [],
    prepare: (server) => Promise.resolve(server),
    policy: [],
    env: io.env,
    signal: io.signal,
    log,
    limits: config.limits,
  });
  if (!plugins.hasTools) return undefined;
  const { tools } = await host.tools({ signal: io.signal });
  return tools.length;
}
