/** `config`: the schema of config files, where our files lie, and what the config comes to with its secrets hidden. */
import { HostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { findConfig, findUserConfig } from "../../config/find.ts";
import { joinPath, ourPaths } from "../../config/paths.ts";
import { configFromFlags } from "../config-flags.ts";
import { shownConfig } from "../config-show.ts";
import { reportFailures } from "../failures.ts";
import { commonFlags, serverFlags } from "../flags.ts";
import { failureOf } from "../open.ts";
import type { Command, FlagTable, Io, Parsed } from "../types.ts";

const {
  wait: _w,
  stderr: _s,
  trust: _t,
  input: _i,
  elicit: _e,
  "no-cache": _c,
  ...sourceFlags
} = serverFlags;

const flags: FlagTable = {
  schema: { type: "boolean", description: "the JSON Schema of config files, for editors" },
  paths: { type: "boolean", description: "where our files lie" },
  show: { type: "boolean", description: "the checked config, secrets hidden (the default)" },
  ...commonFlags,
  ...sourceFlags,
};

const command: Command = {
  name: "config",
  description: "Show the config that counts here, its schema, or where our files lie",
  example: "mcphost config --schema > mcphost.schema.json",
  usage: "[-- COMMAND…]",
  flags,
  run,
};

export default command;

// --- internal ---

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const { flags: given, positionals } = parsed;
  const asked = ["schema", "paths", "show"].filter((name) => given[name] === true);
  if (positionals.length > 0 || asked.length > 1)
    throw new HostError("usage", "config takes one of --schema, --paths and --show", {
      hint: command.example,
    });
  const json = given["json"] === true;
  if (asked[0] === "schema") {
    const { configJsonSchema } = await import("../../config/json-schema.ts");
    await print(await configJsonSchema(), json, io);
    return 0;
  }
  if (asked[0] === "paths") {
    const paths = await pathsOf(io);
    if (json) await print(paths, json, io);
    else await io.stdout.write(tableOf(paths));
    return 0;
  }
  const config = await configFromFlags(parsed, io);
  for (const text of config.warnings) log({ level: "warn", text });
  await print(shownConfig(config), json, io);
  return await reportFailures(config.bad.map(failureOf), parsed, io);
}

async function print(value: object, json: boolean, io: Io): Promise<void> {
  await io.stdout.write(`${JSON.stringify(value, null, json ? 0 : 2)}\n`);
}

/** Null: there is none, and nothing says where it would be. */
async function pathsOf({ env, cwd }: Io): Promise<Record<string, string | null>> {
  const { config, state, cache } = ourPaths(env);
  const own = config === undefined ? undefined : joinPath(config, "config.json");
  return {
    userConfig: (await findUserConfig(env)) ?? own ?? null,
    foundConfig: (await findConfig(cwd)) ?? null,
    namedConfig: env["MCPHOST_CONFIG"] || null,
    state: state ?? null,
    cache: cache ?? null,
  };
}

function tableOf(paths: Record<string, string | null>): string {
  const words: Record<string, string> = {
    userConfig: "your config",
    foundConfig: "found from here",
    namedConfig: "MCPHOST_CONFIG",
    state: "state",
    cache: "cache",
  };
  return Object.entries(paths)
    .map(([key, path]) => `${(words[key] ?? key).padEnd(16)}${path ?? "(none)"}\n`)
    .join("");
}
