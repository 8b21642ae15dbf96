/**
 * Plugins of flags and configs, from their names to a host that has them: trusted, loaded as they are, and set up. `mcphost`
 * and `valibot` in them are our own; anything else must be installed beside them, and nothing is fetched. Loaded only where
 * a plugin is named.
 */
import { settlesWithin } from "../base/async.ts";
import { HostError, isHostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { secretsWithin } from "../config/secrets.ts";
import type { Config } from "../config/types.ts";
import { checkPlugins } from "../hooks/check-plugin.ts";
import type { NamedPlugin } from "../hooks/check-plugin.ts";
import { thrownText } from "../hooks/frozen.ts";
import { hookTimeoutDefaultMs, setUpPlugins } from "../hooks/runner.ts";
import type { OpenHostOptions } from "../host/option-types.ts";
import { openPluggedHost } from "../host/plugins.ts";
import type { PluggedHost } from "../host/plugins.ts";
import type { ChangeableHost } from "../host/reconfigure-types.ts";
import { staysAlive } from "./plugin-exit.ts";
import { ownModules } from "./plugin-modules.ts";
import { printsAside } from "./plugin-output.ts";
import { placeOf } from "./plugin-places.ts";
import type { PlacedPlugin } from "./plugin-places.ts";
import { ensurePluginTrusted } from "./plugin-trust.ts";
import type { Io, Parsed } from "./types.ts";

export interface LoadedPlugins {
  /** One of them brings tools: no server is needed then. */
  hasTools: boolean;
  /** As the host's own, with the plugins set up. @throws HostError `config` */
  openHost(options: OpenHostOptions): Promise<ChangeableHost>;
  /** The files that they are, with when they were read (milliseconds since the epoch). */
  files: readonly string[];
  readAt: number;
  /** Loads them again, and has them take the place of those that were. One that is wrong is logged, and changes nothing. */
  reload(): Promise<void>;
  /** Why what was loaded last does not count. */
  readonly error: HostError | undefined;
}

/** @throws HostError `config` (it cannot be loaded, or is no plugin), `denied` (it was found, and is not trusted) */
export async function loadPlugins(
  { plugins: entries, limits }: Config,
  { parsed, io, log }: { parsed: Parsed; io: Io; log: Log },
): Promise<LoadedPlugins> {
  const places = entries.map((entry) => placeOf(entry, io));
  io.secrets?.later(() => places.flatMap(({ options }) => secretsWithin(options)));
  const isTrusted = parsed.flags["trust"] === true;
  const { hookTimeoutMs: timeoutMs = hookTimeoutDefaultMs } = limits;
  const loadAll = async (round: number) => {
    for (const place of places)
      if (place.origin.kind === "found" && !isTrusted)
        await ensurePluginTrusted(place, { io, log });
    const loaded: { plugin: unknown; from: string }[] = [];
    for (const place of places)
      loaded.push({ plugin: await load(place, round, timeoutMs), from: place.spec });
    return checkPlugins(loaded);
  };
  const setUp = (plugins: NamedPlugin[]) => setUpPlugins({ ...limits, plugins, log });
  const readAt = Date.now();
  printsAside(io);
  staysAlive();
  ownModules();
  const checked = await loadAll(0);
  let host: PluggedHost | undefined;
  let round = 0;
  let turn = Promise.resolve();
  let fault: HostError | undefined;
  const reload = async () => {
    try {
      await using runner = await setUp(await loadAll((round += 1)));
      await host?.replug(runner);
      fault = undefined;
      log({ level: "info", text: "the plugins were loaded again" });
    } catch (error) {
      fault = isHostError(error) ? error : new HostError("config", thrownText(error));
      log({ level: "warn", text: `the plugins stay as they were: ${thrownText(error)}` });
    }
  };
  return {
    hasTools: checked.some(({ plugin: { tools = {} } }) => Object.keys(tools).length > 0),
    files: places.map(({ file }) => file),
    readAt,
    async openHost(options) {
      const runner = await setUp(checked);
      try {
        return (host = await openPluggedHost(runner, options));
      } catch (error) {
        await runner[Symbol.asyncDispose]();
        throw error;
      }
    },
    reload: () => (turn = turn.then(reload)),
    get error() {
      return fault;
    },
  };
}

// --- internal ---

/** What its file gives, within the time of a hook: a plugin, if that is one. @throws HostError `config` */
async function load(place: PlacedPlugin, round: number, timeoutMs: number): Promise<unknown> {
  const { spec: from, file } = place;
  const facts = { plugin: from, file };
  if (!(await Bun.file(file).exists()))
    throw new HostError("config", `plugin ${from}: there is no file ${file}`, { facts });
  const loading = givenBy(place, round);
  if (await settlesWithin(loading, timeoutMs)) return await loading;
  throw new HostError("config", `plugin ${from} was not loaded within ${timeoutMs} ms`, {
    facts: { ...facts, timeoutMs, option: "hookTimeoutMs" },
  });
}

/** @throws HostError `config` */
async function givenBy(place: PlacedPlugin, round: number): Promise<unknown> {
  const { spec: from, file, options } = place;
  let lacksOptions = false;
  try {
    // A module is loaded once by its name; what it imports in turn stays what it was.
    const name = round === 0 ? file : `${file}?${round}`;
    const module = (await import(name)) as { default?: unknown };
    const { default: given } = module;
    if (typeof given === "function") {
      lacksOptions = options === undefined && given.length > 0;
      return await (given as (options: unknown) => unknown)(options);
    }
    if (options === undefined) return given;
  } catch (error) {
    throw unloadable({ from, file, lacksOptions }, error);
  }
  const text = `plugin ${from}: it takes no options, and the config gives it some`;
  throw new HostError("config", text, {
    facts: { plugin: from, file },
    hint: "a plugin that takes options exports a function of them as its default",
  });
}

/** With the place in its text, where there is one. */
function unloadable(
  at: { from: string; file: string; lacksOptions: boolean },
  error: unknown,
): HostError {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { position, code } = first as {
    position?: { file?: string; line: number; column: number } | null;
    code?: unknown;
  };
  const isMissing = code === "ERR_MODULE_NOT_FOUND";
  const where = position
    ? ` (${position.file ?? at.file}:${position.line}:${position.column})`
    : "";
  const text = `plugin ${at.from} cannot be loaded: ${thrownText(first)}${where}`;
  const given = at.lacksOptions
    ? `it takes options, and got none: "plugins": [[${JSON.stringify(at.from)}, { … }]] of a config gives it some`
    : undefined;
  const hint = isMissing
    ? "what it imports must be installed beside it: only mcphost and valibot are there by themselves"
    : given;
  return new HostError("config", text, {
    facts: {
      plugin: at.from,
      file: at.file,
      ...(position && { line: position.line, column: position.column }),
    },
    ...(hint !== undefined && { hint }),
    cause: error,
  });
}
