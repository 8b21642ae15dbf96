/**
 * `doctor [SERVER…]`: starts, greets, lists and stops each server, and says what is wrong with it and how to mend it.
 */
import { exitCodeOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { verdictKey, verdictStore } from "../../client/eras.ts";
import { ourPaths } from "../../config/paths.ts";
import { redact } from "../../config/redact.ts";
import type { Config, ServerConfig } from "../../config/types.ts";
import type { HostTool } from "../../host/types.ts";
import { unknownServer } from "../../host/unknown.ts";
import { waitFor } from "../../host/wait.ts";
import { startReaper } from "../../process/reaper.ts";
import { answersFrom } from "../answers.ts";
import { configFromFlags } from "../config-flags.ts";
import { duplicates } from "../doctor-command.ts";
import { diagnosisJson, diagnosisText } from "../doctor-text.ts";
import { offeredTools } from "../doctor-tools.ts";
import type { Examination } from "../doctor-types.ts";
import { diagnose } from "../doctor.ts";
import type { Examined } from "../examine-types.ts";
import { examine } from "../examine.ts";
import { statusOf } from "../failures.ts";
import { fold, shown, widthOf } from "../fit.ts";
import { commonFlags, durationOf, serverFlags } from "../flags.ts";
import { noServers } from "../no-servers.ts";
import { failureOf } from "../open.ts";
import { prepareFromFlags } from "../prepare.ts";
import { rememberTools } from "../tool-cache.ts";
import type { Command, Io, Parsed } from "../types.ts";

const { wait: _wait, timeout: _timeout, ...flags } = serverFlags;

const command: Command = {
  name: "doctor",
  description: "Start, greet, list and stop each server; say what is wrong and how to mend it",
  example: "mcphost doctor -s https://example.com/mcp",
  usage: "[SERVER…] [-- COMMAND…]",
  flags: {
    "SERVER…": { type: "positional", description: "names of configured servers (all)" },
    timeout: {
      type: "string",
      valueHint: "DURATION",
      description: "how long a server may take to start, and to list its tools (60s)",
    },
    ...commonFlags,
    ...flags,
  },
  run,
};

export default command;

// --- internal ---

/** How many are looked at side by side: more would make each other look slow. */
const atOnce = 4;

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const config = await configFromFlags(parsed, io);
  for (const text of config.warnings) log({ level: "warn", text });
  const isPlugged = config.plugins.length > 0 && parsed.positionals.length === 0;
  const { servers, bad } = await chosenOf(config, parsed.positionals, { isPlugged, io });
  const options = {
    prepare: prepareFromFlags(parsed, io, log, config),
    env: io.env,
    cwd: io.cwd,
    limits: config.limits,
    reaper: servers.some(({ kind }) => kind === "stdio") ? startReaper() : undefined,
    timeoutMs: durationOf(parsed.flags, "timeout"),
    answers: (await answersFrom(parsed, io)) ?? {},
    log: unrepeated(log),
    signal: io.signal,
  };
  const same = duplicates(servers);
  const examined = await sideBySide(servers, async (server) => {
    io.status?.(`looking at ${server.name} …`);
    const at = { server: server.name, doing: "looked at" };
    const found = await waitFor(examine(server, options), io.signal, at);
    const sameAs = same.get(server.name);
    if (sameAs !== undefined) found.seen.sameAs = sameAs;
    return found;
  });
  io.status?.(undefined);
  const tools = offeredTools(config.servers, examined);
  if (parsed.flags["no-cache"] !== true) await keep(config.servers, examined, { tools, io, log });
  const unread = bad.map((entry): Examination => {
    return { name: entry.name, ourEnv: [], unusable: failureOf(entry).error };
  });
  const plugins = isPlugged
    ? await (
        await import("../examine-plugins.ts")
      ).examinePlugins(config, { parsed, io, log: options.log })
    : [];
  return await print([...examined.map(({ seen }) => seen), ...unread, ...plugins], parsed, io);
}

/** Those that are named, else all that are not disabled; none where there are plugins. @throws HostError `usage` `config` */
async function chosenOf(
  config: Config,
  names: readonly string[],
  { isPlugged, io }: { isPlugged: boolean; io: Io },
): Promise<Pick<Config, "servers" | "bad">> {
  const { servers, bad } = config;
  const known = [...servers, ...bad].map(({ name }) => name);
  if (known.length === 0 && !isPlugged) throw await noServers(io, config, names);
  for (const name of names) if (!known.includes(name)) throw unknownServer(name, known);
  if (names.length > 0) {
    const named = ({ name }: { name: string }) => names.includes(name);
    return { servers: servers.filter(named), bad: bad.filter(named) };
  }
  const enabled = servers.filter((server) => server.disabled !== true);
  if (enabled.length === 0 && bad.length === 0 && !isPlugged) throw await noServers(io, config);
  return { servers: enabled, bad };
}

/** In the order given, a few at a time. */
async function sideBySide<T, R>(items: readonly T[], look: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const rest = items.entries();
  const worker = async () => {
    for (const [at, item] of rest) results[at] = await look(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** What the diagnosis says is not said on stderr too. */
function unrepeated(log: Log): Log {
  return (entry) =>
    log(
      entry.server !== undefined && entry.source === undefined
        ? { ...entry, level: "debug" }
        : entry,
    );
}

/** Remembers what was learned: eras, and tools for completion. */
async function keep(
  servers: readonly ServerConfig[],
  examined: readonly Examined[],
  { tools, io, log }: { tools: ReadonlyMap<string, HostTool[]>; io: Io; log: Log },
): Promise<void> {
  const { cache } = ourPaths(io.env);
  const verdicts = cache === undefined ? undefined : verdictStore({ folder: cache, log });
  for (const { ready, client } of examined)
    if (ready && client && ready.protocol === "auto")
      await verdicts?.write(verdictKey(ready), client.verdict);
  for (const server of servers) {
    const own = tools.get(server.name) ?? [];
    if (own.length > 0) await rememberTools(io.env, server, own);
  }
}

/** Returns 3 if a server failed, 2 if only configuration did, 7 if a sign-in is all that is needed, else 0. */
async function print(
  all: readonly Examination[],
  { flags: given }: Parsed,
  io: Io,
): Promise<number> {
  const diagnosed = all.map((seen) => ({ seen, diagnosis: diagnose(seen) }));
  const json = given["json"] === true;
  const text = json
    ? `${JSON.stringify(diagnosed.map(({ seen, diagnosis }) => diagnosisJson(diagnosis, seen)))}\n`
    : diagnosed.map(({ seen, diagnosis }) => diagnosisText(diagnosis, seen)).join("");
  const hidden = redact(text, io.secrets ?? []);
  await io.stdout.write(shown(json ? hidden : fold(hidden, widthOf(io)), io));
  return statusOf(
    diagnosed.map(({ seen, diagnosis: { status } }) => {
      if (status === "ok") return 0;
      if (status === "config") return 2;
      return seen.error?.code === "auth_required" ? exitCodeOf(seen.error) : 3;
    }),
  );
}
