/** What `serve` does with a config that is taken up while it runs: all that it may say of what runs. It reads no config. */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { ServeToken } from "../config/setting-types.ts";
import type { Config } from "../config/types.ts";
import type { Reconfigured } from "../host/reconfigure-types.ts";
import type { Lifecycles } from "./discovery.ts";
import { type Guard, isLoopback } from "./guard.ts";
import type { Profiles } from "./profiles.ts";
import type { ServedConfig } from "./servers-config.ts";
import { FilesWatch } from "./servers-watch.ts";

export interface ApplyTo {
  /** Where we listen; undefined for a socket. */
  hostname: string | undefined;
  guard: Guard;
  profiles: Profiles;
  lifecycles: Lifecycles;
  log: Log;
}

export class Applying implements Disposable {
  readonly #config: ServedConfig;
  readonly #to: ApplyTo;
  readonly #watch: FilesWatch;

  /** From now on the config is read again when its files change. */
  constructor(config: ServedConfig, to: ApplyTo) {
    this.#config = config;
    this.#to = to;
    this.#watch = new FilesWatch({
      log: to.log,
      // What is wrong was said, and is kept to be shown.
      onChange: () => void config.reload().catch(() => {}),
    });
    // The config was read somewhen since we started.
    void this.#watch.follow(filesOf(config.config), performance.timeOrigin);
  }

  /** As of `ServedConfigOptions`. */
  async apply(next: Config, tokens: readonly ServeToken[], readAt: number): Promise<Reconfigured> {
    const { hostname, guard, profiles, lifecycles } = this.#to;
    if (tokens.length === 0 && hostname !== undefined && !isLoopback(hostname))
      throw new HostError(
        "config",
        `${hostname} is not a loopback address, and the config has no token any more`,
      );
    const relist = profiles.differ(next.profiles);
    const change = await this.#config.source.use(next, { relist });
    profiles.replace(next.profiles);
    guard.retoken(tokens);
    const servers = next.servers.filter(({ disabled }) => disabled !== true);
    lifecycles.update(servers, [...change.added, ...change.changed]);
    await this.#watch.follow(filesOf(next), readAt);
    return change;
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }
}

// --- internal ---

function filesOf({ files }: Config): string[] {
  return files.flatMap(({ file }) => (file === undefined ? [] : [file]));
}
