/**
 * Plugins of flags and configs, from their names to a host that has them: trusted, loaded as they are, and set up. `mcphost`
 * and `valibot` in them are our own; anything else must be installed beside them, and nothing is fetched. Loaded only where
 * a plugin is named.
 */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Config } from "../config/types.ts";
import { checkPlugins } from "../hooks/check-plugin.ts";
import { thrownText } from "../hooks/frozen.ts";
import { setUpPlugins } from "../hooks/runner.ts";
import type { OpenHostOptions } from "../host/option-types.ts";
import { openPluggedHost } from "../host/plugins.ts";
import type { ChangeableHost } from "../host/reconfigure-types.ts";
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
}

/** @throws HostError `config` (it cannot be loaded, or is no plugin), `denied` (it was found, and is not trusted) */
export async function loadPlugins(
  { plugins: entries, limits }: Config,
  { parsed, io, log }: { parsed: Parsed; io: Io; log: Log },
): Promise<LoadedPlugins> {
  const places = entries.map((entry) => placeOf(entry, io));
  for (const place of places)
    if (place.origin.kind === "found" && parsed.flags["trust"] !== true)
      await ensurePluginTrusted(place, { io, log });
  printsAside(io);
  ownModules();
  const loaded: { plugin: unknown; from: string }[] = [];
  for (const place of places) loaded.push({ plugin: await load(place), from: place.spec });
  const checked = checkPlugins(loaded);
  return {
    hasTools: checked.some(({ plugin: { tools = {} } }) => Object.keys(tools).length > 0),
    async openHost(options) {
      const runner = await setUpPlugins({ ...limits, plugins: checked, log });
      try {
        return await openPluggedHost(runner, options);
      } catch (error) {
        await runner[Symbol.asyncDispose]();
        throw error;
      }
    },
  };
}

// --- internal ---

/** What its file gives: a plugin, if that is one. @throws HostError `config` */
async function load({ spec: from, file, options }: PlacedPlugin): Promise<unknown> {
  if (!(await Bun.file(file).exists()))
    throw new HostError("config", `plugin ${from}: there is no file ${file}`, {
      facts: { plugin: from, file },
    });
  try {
    const module = (await import(file)) as { default?: unknown };
    const { default: given } = module;
    if (typeof given === "function") return await (given as (options: unknown) => unknown)(options);
    if (options === undefined) return given;
  } catch (error) {
    throw unloadable({ from, file }, error);
  }
  throw new HostError(
    "config",
    `plugin ${from}: it takes no options, and the config gives it some`,
    {
      facts: { plugin: from, file },
      hint: "a plugin that takes options exports a function of them as its default",
    },
  );
}

/** With the place in its text, where there is one. */
function unloadable(at: { from: string; file: string }, error: unknown): HostError {
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
  return new HostError("config", text, {
    facts: {
      plugin: at.from,
      file: at.file,
      ...(position && { line: position.line, column: position.column }),
    },
    ...(isMissing && {
      hint: "what it imports must be installed beside it: only mcphost and valibot are there by themselves",
    }),
    cause: error,
  });
}
