/**
 * One look at one server for the doctor: it is started, greeted, asked for its tools and stopped, and all that was seen
 * is kept. It judges nothing (doctor.ts does) and remembers nothing.
 */
import type { HostError } from "../base/errors.ts";
import { connect } from "../client/client.ts";
import { clientInfo } from "../client/declared.ts";
import type { ServerConfig, StdioServer } from "../config/types.ts";
import { toHostError, toListError } from "../host/failure.ts";
import type { Child } from "../process/child.ts";
import { childEnv } from "../process/env.ts";
import { spawnChild } from "../process/spawn.ts";
import { openStdio } from "../transport/stdio.ts";
import type { Transport } from "../transport/transport.ts";
import type { Examination } from "./doctor-types.ts";
import { listOf } from "./examine-tools.ts";
import type { Examined, ExamineOptions } from "./examine-types.ts";

/** @throws HostError `cancelled`; what is wrong with the server is in `seen` */
export async function examine(config: ServerConfig, options: ExamineOptions): Promise<Examined> {
  const seen: Examination = { name: config.name, ourEnv: Object.keys(options.env) };
  let ready: ServerConfig;
  try {
    ready = await options.prepare(config, options.signal);
  } catch (error) {
    seen.unusable = serverError(error, config.name);
    return { seen };
  }
  const found: Examined = { seen, ready };
  if (ready.kind === "stdio") return await examineProcess(ready, options, found);
  try {
    const { examineUrl } = await import("./examine-url.ts");
    return Object.assign(found, await examineUrl(ready, options, seen));
  } catch (error) {
    seen.error = serverError(error, config.name);
    return found;
  }
}

// --- internal ---

async function examineProcess(
  ready: StdioServer,
  options: ExamineOptions,
  found: Examined,
): Promise<Examined> {
  const { seen } = found;
  const env = childEnv(options.env, ready);
  seen.started = await startedOf(ready, env, options.cwd);
  const links: { child: Child; transport: Transport }[] = [];
  const began = performance.now();
  try {
    await using client = await connect({
      ...connectOptions(ready, options),
      open: async () => {
        const child = spawnReady(ready, env, options);
        const { lineBytesMax } = options.limits;
        const bound = lineBytesMax === undefined ? {} : { lineBytesMax };
        const transport = openStdio(child, { name: ready.name, log: options.log, ...bound });
        links.push({ child, transport });
        return transport;
      },
    });
    seen.startMs = performance.now() - began;
    const { era, revision, serverInfo, verdict } = client;
    Object.assign(seen, { era, revision, ...(serverInfo && { serverInfo }) });
    found.client = { verdict };
    found.list = await listOf(client, ready.name, options);
    if (found.list.failure) seen.error = toListError(found.list.failure, ready.name);
    const stopping = performance.now();
    await links.at(-1)?.child.stop();
    seen.stopMs = performance.now() - stopping;
  } catch (error) {
    seen.error = serverError(error, ready.name);
  } finally {
    const link = links.at(-1);
    Object.assign(seen, link?.transport.facts());
    for (const { child } of links) seen.stop = await child.stop();
  }
  return found;
}

function connectOptions(server: StdioServer, options: ExamineOptions) {
  const startTimeoutMs = options.timeoutMs ?? server.startTimeoutMs;
  return {
    ...options.limits,
    name: server.name,
    clientInfo,
    answers: options.answers,
    log: options.log,
    signal: options.signal,
    protocol: server.protocol,
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
  };
}

function spawnReady(
  { name, command, args, cwd, stopMs }: StdioServer,
  env: Record<string, string>,
  { log, reaper }: ExamineOptions,
): Child {
  return spawnChild(
    { name, command, args, env, ...(cwd !== undefined && { cwd }) },
    { log, reaper, ...(stopMs !== undefined && { stopMs }) },
  );
}

async function startedOf(
  { command, args, cwd: own }: StdioServer,
  env: Record<string, string>,
  ours: string,
): Promise<NonNullable<Examination["started"]>> {
  const cwd = own ?? ours;
  const searched = env["PATH"] ?? "";
  const { stat } = await import("node:fs/promises");
  const cwdExists = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const path = Bun.which(command, { PATH: searched, cwd }) ?? undefined;
  return { command, args, path, searched, cwd, cwdExists, env: Object.keys(env) };
}

/** What is no fault of the server's goes through. */
function serverError(error: unknown, server: string): HostError {
  const found = toHostError(error, server);
  if (found.code === "cancelled") throw found;
  return found;
}
