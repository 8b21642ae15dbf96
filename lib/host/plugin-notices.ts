/**
 * What plugins are told of servers: before one is started, which they may forbid; its end, its lines, and each message, which
 * they only look on at.
 */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { ServerConfig } from "../config/types.ts";
import type { PluginServer, ServerEnd } from "../hooks/hook-types.ts";
import { answerOf, nonsense } from "../hooks/run-hook.ts";
import type { PluginRunner } from "../hooks/runner.ts";
import type { Frame } from "../transport/tee.ts";
import { tee } from "../transport/tee.ts";
import type { CloseInfo, Transport } from "../transport/transport.ts";

/** Asks them whether a server may be started or reached. @throws HostError `denied` */
export async function mayStart(
  plugins: PluginRunner,
  server: ServerConfig,
  signal: AbortSignal,
): Promise<void> {
  const { name } = server;
  const occasion = {
    about: ` of server "${name}"`,
    facts: { server: name },
    timeoutMs: plugins.hookTimeoutMs,
    signal,
  };
  for (const hook of plugins.hooks("serverStart")) {
    const answer = await answerOf(hook, occasion, () => hook.run(serverView(server)));
    if (answer === undefined || answer === null) continue;
    if (typeof answer !== "object" || typeof answer.deny !== "string")
      throw nonsense(hook, occasion, { found: answer, expected: "nothing or { deny: reason }" });
    const text = `server "${name}" may not start: plugin "${hook.plugin}": ${answer.deny}`;
    throw new HostError("denied", text, {
      facts: { server: name, plugin: hook.plugin, reason: answer.deny },
    });
  }
}

/** A log whose entries plugins hear. */
export function heardLog(plugins: PluginRunner, given: Log): Log {
  const log: Log = (entry) => {
    given(entry);
    const { server, source, text, level } = entry;
    if (source !== undefined && server !== undefined)
      plugins.tell("serverLog", server, Object.freeze({ text, level }));
    else plugins.tell("log", Object.freeze({ ...entry }));
  };
  if (given.least !== undefined) log.least = given.least;
  return log;
}

/** A link whose messages and end plugins hear. */
export function seen(plugins: PluginRunner, server: string, link: Transport): Transport {
  if (plugins.hooks("serverStop").length > 0)
    void link.closed.then((info) => plugins.tell("serverStop", server, endOf(info)));
  if (plugins.hooks("message").length === 0) return link;
  return tee(link, (frame) => {
    const { direction } = frame;
    const text = textOf(frame);
    if (text !== undefined) plugins.tell("message", Object.freeze({ server, direction, text }));
  });
}

// --- internal ---

function serverView(server: ServerConfig): PluginServer {
  const { name, kind } = server;
  if (server.kind === "http") return Object.freeze({ name, kind, url: server.url });
  const { command, args, cwd } = server;
  const own = Object.freeze([...args]);
  return Object.freeze({ name, kind, command, args: own, ...(cwd !== undefined && { cwd }) });
}

function endOf({ kind, exitCode, signal, how }: CloseInfo): ServerEnd {
  return Object.freeze({
    kind,
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    ...(how !== undefined && { how }),
  });
}

/** Undefined of what is no message: one that was too long, an exchange that failed. */
function textOf(frame: Frame): string | undefined {
  if (frame.direction === "out") return JSON.stringify(frame.message);
  return "text" in frame.item ? frame.item.text : undefined;
}
