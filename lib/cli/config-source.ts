/** Where the config of a long-lived command comes from, and how it is taken up while it runs: by the flags of its start. */
import { silent } from "../base/log.ts";
import { editTarget } from "../config/edit-target.ts";
import type { ConfigSource } from "../serve/servers-config.ts";
import { configFromFlags, loadOptionsOf } from "./config-flags.ts";
import type { Opened } from "./open.ts";
import { serveTokens } from "./serve-tokens.ts";
import type { Io, Parsed } from "./types.ts";

/** @param env our environment as the config may see it: without our own token */
export function configSource(
  parsed: Parsed,
  { config, host }: Pick<Opened, "config" | "host">,
  io: Io,
  env: Io["env"],
): ConfigSource {
  const seen = { cwd: io.cwd, env };
  return {
    config,
    read: () => configFromFlags(parsed, seen),
    // What is to be said of flags was said at the start.
    tokens: (next) => serveTokens(parsed, next, io, silent),
    use({ servers, policy, limits, inputs }, { relist }) {
      // Servers are made ready to start by what `config` holds then.
      config.inputs = inputs;
      return host.reconfigure({ servers, policy, limits, relist });
    },
    target: () => editTarget(loadOptionsOf(parsed, seen)),
    folder: io.cwd,
  };
}
