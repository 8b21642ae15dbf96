/**
 * The config behind the servers while they run: read again, held against what counts, and taken up where it is right. One
 * that is wrong changes nothing, and what is wrong with it is kept to be shown. It reads no file by itself.
 */
import type { HostError } from "../base/errors.ts";
import { isHostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { readRevised } from "../config/edit-file.ts";
import type { Origin } from "../config/origin.ts";
import type { ServeToken } from "../config/setting-types.ts";
import type { BadServer, Config } from "../config/types.ts";
import type { Reconfigured } from "../host/reconfigure-types.ts";

/** Where the config comes from. */
export interface ConfigSource {
  /** What counts in the beginning. */
  config: Config;
  /** Reads all of it again, as in the beginning. @throws HostError `config` `usage` */
  read(): Promise<Config>;
  /** The tokens of a config, ready to be compared. @throws HostError `config` `usage` */
  tokens(config: Config): Promise<readonly ServeToken[]>;
  /** Takes up servers, rules and limits, and from now on makes servers ready by this config. */
  use(config: Config, options: { relist: boolean }): Promise<Reconfigured>;
  /** The file that servers are added to. @throws HostError `usage` where there is none */
  target(): Promise<Origin & { file: string }>;
  /** The folder that it is read for (as of `readDocument`). */
  folder: string;
}

export interface ServedConfigOptions {
  source: ConfigSource;
  log: Log;
  /**
   * Makes servers, rules, tokens and profiles those of a config that was read then (milliseconds since the epoch).
   * @throws HostError `config` where they must not be: nothing has changed
   */
  apply(config: Config, tokens: readonly ServeToken[], readAt: number): Promise<Reconfigured>;
}

/** What a config came to when it was read again. */
export interface Reloaded extends Reconfigured {
  /** Entries that cannot be read: their servers stay what they were. */
  failed: BadServer[];
}

export class ServedConfig {
  readonly source: ConfigSource;
  readonly #options: ServedConfigOptions;
  #config: Config;
  #error: HostError | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ServedConfigOptions) {
    this.#options = options;
    this.source = options.source;
    this.#config = options.source.config;
  }

  /** What counts now. */
  get config(): Config {
    return this.#config;
  }

  /** Why what was read last does not count. */
  get error(): HostError | undefined {
    return this.#error;
  }

  /** Of the file that servers are added to; undefined where there is none, or it cannot be read. */
  async revision(): Promise<string | undefined> {
    try {
      const { file, label } = await this.source.target();
      return (await readRevised(file, label)).revision;
    } catch {
      return undefined;
    }
  }

  /** Reads it again and takes it up, one reading after the other. @throws HostError: nothing has changed */
  reload(): Promise<Reloaded> {
    return this.inTurn(() => this.#reload());
  }

  /** The same within the turn of who calls. @throws as `reload` */
  reloadNow(): Promise<Reloaded> {
    return this.#reload();
  }

  /** Does something that no reading and no other edit happens beside. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => {});
    return mine;
  }

  // --- internal ---

  async #reload(): Promise<Reloaded> {
    const { source, log, apply } = this.#options;
    try {
      const readAt = Date.now();
      const read = await source.read();
      const next = withoutLosses(read, this.#config);
      const change = await apply(next, await source.tokens(next), readAt);
      for (const text of novelties(this.#config, next)) log({ level: "warn", text });
      this.#config = next;
      this.#error = undefined;
      const text = changeText(change);
      if (text !== undefined) log({ level: "info", text: `the config was read again: ${text}` });
      return { ...change, failed: next.bad };
    } catch (error) {
      if (isHostError(error)) {
        this.#error = error;
        const { message, hint } = error;
        const why = hint === undefined ? message : `${message}; ${hint}`;
        log({ level: "warn", text: `the config stays as it was: ${why}` });
      }
      throw error;
    }
  }
}

// --- internal ---

const later = "counts from the next start of serve on";

/** What changed, in words; undefined where nothing did. */
function changeText({ added, removed, changed, adjusted }: Reconfigured): string | undefined {
  const parts = Object.entries({ added, removed, changed, adjusted }).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what} ${names.join(", ")}`],
  );
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** A server whose entry cannot be read any more stays what it was, at its place. */
function withoutLosses(next: Config, { servers: before }: Config): Config {
  const servers = [...next.servers];
  for (const { name, origin } of next.bad) {
    const at = before.findIndex((one) => one.name === name && one.origin.file === origin.file);
    const old = before[at];
    if (old !== undefined) servers.splice(at, 0, old);
  }
  return { ...next, servers };
}

/** What is to be said of a config that the one before did not have. */
function novelties(before: Config, next: Config): string[] {
  const had = new Set(before.servers.map(({ name }) => name));
  const badText = ({ name, origin, reason, hint }: BadServer) => {
    const what = had.has(name) ? "stays as it was" : "is left out";
    const text = `server "${name}" of ${origin.label} ${what}: ${reason}`;
    return hint === undefined ? text : `${text}; ${hint}`;
  };
  const known = new Set([...before.warnings, ...before.bad.map(badText)]);
  const settings = (["host", "port", "origins", "publicUrl"] as const).filter(
    (key) => !Bun.deepEquals(before.serve[key], next.serve[key]),
  );
  return [
    ...[...next.warnings, ...next.bad.map(badText)].filter((text) => !known.has(text)),
    ...settings.map((key) => `serve.${key} of the config ${later}`),
    ...(Bun.deepEquals(before.plugins, next.plugins)
      ? []
      : [`plugins of the config: what is another there ${later}`]),
  ];
}
