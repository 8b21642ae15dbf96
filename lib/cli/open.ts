/**
 * From checked flags to a host over the servers of their config. Every command that works on servers opens them here. It
 * starts nothing by itself.
 */
import { HostError, isHostError } from "../base/errors.ts";
import { debug } from "../base/log.ts";
import type { Log } from "../base/log.ts";
import type { Answers } from "../client/answer-types.ts";
import type { BadServer, Config, ServerConfig } from "../config/types.ts";
import { openHost } from "../host/host.ts";
import type { OpenHostOptions } from "../host/option-types.ts";
import type { ChangeableHost } from "../host/reconfigure-types.ts";
import { answersFrom, approverFrom } from "./answers.ts";
import { configFromFlags } from "./config-flags.ts";
import { deferredRecords } from "./deferred-records.ts";
import type { DeferredRecords, Use } from "./deferred-records.ts";
import { deferredLists, deferredVerdicts } from "./deferred.ts";
import { endEarly } from "./early.ts";
import type { Failure } from "./failures.ts";
import { textOf } from "./flags.ts";
import { readLevel } from "./log.ts";
import type { LoadedPlugins } from "./plugins.ts";
import { prepareFromFlags } from "./prepare.ts";
import { slowStarts } from "./slow-starts.ts";
import type { EarlyStart, Io, Parsed } from "./types.ts";

/** A host that is open. Disposing leaves the servers to the reaper, or with `--wait` waits for their end. */
export interface Opened extends AsyncDisposable {
  host: ChangeableHost;
  config: Config;
  records: DeferredRecords;
  /** Entries that could not be read: named, and in nobody's way. */
  failures: Failure[];
  /** Where there are any. */
  plugins?: LoadedPlugins;
  /** Somebody answers servers that ask: some hide tools where nobody does. */
  isAnswered: boolean;
  /** An error of a server with what we know besides: the variable that it lacks and we have, a fault in its command. */
  explain(error: unknown): Promise<unknown>;
}

/**
 * Opens a host over the servers that the flags name or that are found here.
 * @throws HostError `usage` `config` (also where there is no server at all)
 */
export async function openFromFlags(
  parsed: Parsed,
  io: Io,
  log: Log,
  early?: EarlyStart,
  use: Use = {},
): Promise<Opened> {
  try {
    const answers = await answersFrom(parsed, io);
    const config = await configFromFlags(parsed, io, early?.config);
    return await open(parsed, config, { io, log, early, answers, use });
  } catch (error) {
    if (early) await endEarly(early);
    throw error;
  }
}

interface OpenWith {
  use: Use;
  io: Io;
  log: Log;
  early: EarlyStart | undefined;
  answers: Answers | undefined;
}

async function open(
  parsed: Parsed,
  config: Config,
  { io, log, early, answers, use }: OpenWith,
): Promise<Opened> {
  const { flags } = parsed;
  for (const { file, kind } of config.files)
    debug(log, undefined, () => `config read: ${file} (${kind})`);
  for (const text of config.warnings) log({ level: "warn", text });
  const servers = config.servers.filter((server) => server.disabled !== true);
  const plugged = config.plugins.length > 0 && (await import("./plugins.ts"));
  const plugins = plugged && (await plugged.loadPlugins(config, { parsed, io, log }));
  const isEmpty = servers.length === 0 && config.bad.length === 0;
  if (isEmpty && use.mayBeEmpty !== true && !(plugins && plugins.hasTools)) {
    const { noServers } = await import("./no-servers.ts");
    throw await noServers(io, config, parsed.positionals);
  }
  const isKept = flags["no-cache"] !== true;
  const verdicts = isKept ? deferredVerdicts(io, log, early?.known) : undefined;
  const level = textOf(flags["log-level"]);
  const prepare = prepareFromFlags(parsed, io, log, config);
  const started = new Map<string, ServerConfig>();
  const approve = approverFrom(io);
  const toolLists = isKept ? deferredLists(io, started, early?.known) : undefined;
  const records = await deferredRecords(parsed, config, { io, log, ...use });
  const options: OpenHostOptions = {
    servers,
    async prepare(server, signal) {
      started.delete(server.name);
      const ready = await prepare(server, signal);
      started.set(server.name, ready);
      slow?.draw();
      return ready;
    },
    policy: config.policy,
    env: io.env,
    signal: io.signal,
    log,
    limits: config.limits,
    ...(answers && { answers }),
    ...(approve && { approve }),
    ...(early && ("asked" in early ? { asked: early.asked } : { started: early })),
    ...(verdicts && { verdicts }),
    ...(toolLists && { toolLists }),
    record: records.record,
    keeper: records.keeper,
    ...(level !== undefined && { serverLogLevel: serverLevels[readLevel(level)] }),
  };
  const host = plugins ? await plugins.openHost(options) : openHost(options);
  const slow = io.status && slowStarts(host, started, io.status);
  return {
    host,
    config,
    ...(plugins && { plugins }),
    records,
    failures: config.bad.map(failureOf),
    isAnswered: answers !== undefined,
    explain: (error) => explained(error, started, io.env),
    async [Symbol.asyncDispose]() {
      slow?.[Symbol.dispose]();
      // What a server says at its end is a part of all that it says.
      const waits = flags["wait"] === true || flags["stderr"] === true;
      await (waits ? host[Symbol.asyncDispose]() : host.leave());
      await verdicts?.flush();
      await toolLists?.flush();
      await records[Symbol.asyncDispose]();
    },
  };
}

/** An entry that could not be read, as an error to name it with. */
export function failureOf({ name, reason, hint, origin }: BadServer): Failure {
  const error = new HostError("config", `server "${name}" of ${origin.label}: ${reason}`, {
    facts: { server: name, ...(origin.file !== undefined && { file: origin.file }) },
    ...(hint !== undefined && { hint }),
  });
  return { server: name, error };
}

// --- internal ---

const serverLevels = { debug: "debug", info: "info", warn: "warning", error: "error" } as const;

async function explained(
  error: unknown,
  started: ReadonlyMap<string, ServerConfig>,
  env: Io["env"],
): Promise<unknown> {
  if (!isHostError(error) || error.code !== "server_start") return error;
  const server = started.get(error.facts.server ?? "");
  if (server?.kind !== "stdio") return error;
  const { withStartHint } = await import("./start-hint.ts");
  return withStartHint(error, env, server);
}
