/** `serve`: one HTTP process in front of all servers, until a signal (cli.md, HTTP). The address on stdout, the rest on stderr. */
import { exitCodeOf, HostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Served } from "../../serve/serve-types.ts";
import { configSource } from "../config-source.ts";
import { reportFailures } from "../failures.ts";
import { commonFlags, policyFlags, serverFlags } from "../flags.ts";
import { keepProgram } from "../keep-program.ts";
import { openFromFlags } from "../open.ts";
import type { LoadedPlugins } from "../plugins.ts";
import { keepKey, keyPlace, newKey } from "../serve-key.ts";
import { listeningOf, settingsOf } from "../serve-settings.ts";
import { logFailures, showEvents } from "../serve-show.ts";
import { serveTokens } from "../serve-tokens.ts";
import { tracingOf } from "../serve-tracing.ts";
import { isAttended } from "../signals.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "serve",
  description: "Offer all servers over HTTP: tools, OpenAPI and MCP, until Ctrl-C",
  example: "mcphost serve --port 3003 -- npx -y @modelcontextprotocol/server-everything",
  usage: "[-- COMMAND…]",
  endsItself: true,
  flags: {
    host: {
      type: "string",
      valueHint: "ADDRESS",
      description: "listen there (127.0.0.1); another than loopback needs a token",
    },
    port: { type: "string", valueHint: "N", description: "listen at that port (3003); 0: any" },
    unix: { type: "string", valueHint: "PATH", description: "listen at a socket instead" },
    cert: { type: "string", valueHint: "FILE", description: "speak TLS: the certificate as PEM" },
    key: { type: "string", valueHint: "FILE", description: "the key of the certificate as PEM" },
    origin: {
      type: "string",
      valueHint: "ORIGIN",
      repeat: true,
      description: "pages of that origin may ask",
    },
    "token-file": {
      type: "string",
      valueHint: "FILE",
      description: "every request must carry the token in it (or that of MCPHOST_TOKEN)",
    },
    token: {
      type: "string",
      valueHint: "TOKEN",
      description: "the same for trying out: it stands in the process list",
    },
    ...commonFlags,
    ...serverFlags,
    ...policyFlags,
  },
  run,
};

export default command;

// --- internal ---

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const { flags, positionals } = parsed;
  if (positionals.length > 0)
    throw new HostError("usage", `serve takes no ${JSON.stringify(positionals[0])}`, {
      hint: "a server's command line stands after --",
    });
  const listening = await listeningOf(parsed, io);
  // Calls that run when a signal comes may end: the host has a signal of its own. Its servers never get our token.
  const { signal } = new AbortController();
  const { MCPHOST_TOKEN: _, ...env } = io.env;
  const waiting = { ...parsed, flags: { ...flags, wait: true } };
  await using opened = await openFromFlags(waiting, { ...io, env, signal }, log, undefined, {
    isLasting: true,
    survives: true,
    mayBeEmpty: true,
  });
  const { config } = opened;
  const tokens = await serveTokens(parsed, config, io, log);
  await using tracing = await tracingOf(io, log);
  const host = tracing?.over(opened.host) ?? opened.host;
  const isShown = io.terminal.stderr && flags["quiet"] !== true;
  using _shown = isShown ? showEvents(host, io) : logFailures(host, log);
  const { serve } = await import("../../serve/serve.ts");
  if (listening.unix !== undefined)
    await (await import("../../serve/socket-file.ts")).clearSocket(listening.unix);
  const { faces } = await import("../../serve/faces.ts");
  const startKey = newKey();
  io.secrets?.later(() => (io.terminal.stderr ? [] : [startKey]));
  await using served = serve({
    ...listening,
    ...settingsOf(parsed, config, tokens),
    host,
    log,
    faces,
    servers: config.servers.filter(({ disabled }) => disabled !== true),
    approvals: {
      store: async () => await (await opened.records.load()).store(),
      adopts: true,
    },
    source: configSource(waiting, opened, io, env),
    pluginsError: () => opened.plugins?.error,
    startKey,
    keyPlace: (port) => keyPlace({ port, unix: listening.unix }, io.env),
    redact: (text) => io.secrets?.hide(text) ?? text,
  });
  const hasToken = tokens.some(({ tools }) => tools === undefined);
  const { port } = served;
  await using key = await keepKey(startKey, { port, unix: listening.unix, hasToken }, io, log);
  if (host.servers().length === 0 && config.bad.length === 0)
    log({ level: "warn", text: "no server is there yet: POST /servers adds one, or the config" });
  await reportFailures(opened.failures, parsed, io);
  using _hangup = await reloadOnHangup(served, io);
  using _plugins = opened.plugins && (await watched(opened.plugins, log));
  await tell(served, { parsed, io, startKey, keyFile: key.file });
  void keepProgram(log);
  await ended(io.signal, served);
  await served.stop();
  return exitCodeOf(io.signal.reason);
}

interface Tell {
  parsed: Parsed;
  io: Io;
  startKey: string;
  keyFile: string | undefined;
}

/** The address for whoever waits for it, and how the start key is sent: the key itself on a terminal alone. */
async function tell(
  { url, port }: Served,
  { parsed: { flags }, io, startKey, keyFile }: Tell,
): Promise<void> {
  const line = JSON.stringify({
    url,
    ...(port !== undefined && { port }),
    pid: process.pid,
    ...(keyFile !== undefined && { keyFile }),
  });
  const key = io.terminal.stderr ? startKey : keyFile && `KEY; it is in ${keyFile}`;
  const isQuiet = flags["quiet"] === true || flags["json"] === true;
  if (key !== undefined && !isQuiet)
    await io.stderr.write(`to decide and change things, send Authorization: Bearer ${key}\n`);
  // Last: whoever reads it goes on.
  await io.stdout.write(`${flags["json"] === true ? line : url}\n`);
}

/** A hang-up reads the config again where no terminal can have hung up. */
async function reloadOnHangup({ context: { config } }: Served, io: Io): Promise<Disposable> {
  const nothing = { [Symbol.dispose]() {} };
  if (config === undefined || (await isAttended(io.terminal))) return nothing;
  // What is wrong with it is said.
  return io.onHangup?.(() => void config.reload().catch(() => {})) ?? nothing;
}

async function watched(plugins: LoadedPlugins, log: Log): Promise<Disposable> {
  const { watchPlugins } = await import("../plugins-watch.ts");
  return await watchPlugins(plugins, log);
}

/** Settles once it is told to end, or has closed by itself. */
async function ended(signal: AbortSignal, served: Served): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([promise, served.closed]);
}
