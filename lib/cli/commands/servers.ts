/** `servers`: the configured servers and what is known of each; with `--check` each is started and asked. */
import { type ErrorCode, HostError, isHostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Verdict } from "../../client/connect-types.ts";
import { verdictKey, verdictStore } from "../../client/eras.ts";
import { isUrl } from "../../config/links.ts";
import { ourPaths } from "../../config/paths.ts";
import { redact } from "../../config/redact.ts";
import type { Config, PluginEntry, ServerConfig } from "../../config/types.ts";
import { configFromFlags } from "../config-flags.ts";
import { type Failure, reportFailures } from "../failures.ts";
import { cutStart, fold, shown, widthOf } from "../fit.ts";
import { commonFlags, serverFlags } from "../flags.ts";
import { noServers } from "../no-servers.ts";
import { failureOf, openFromFlags } from "../open.ts";
import { prepareFromFlags } from "../prepare.ts";
import { tableOf } from "../servers-table.ts";
import type { ServerRow } from "../servers-table.ts";
import { recalledTools, rememberTools } from "../tool-cache.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "servers",
  description: "List the configured servers and what is known of them",
  example: "mcphost servers --check -- npx -y @modelcontextprotocol/server-everything",
  usage: "[-- COMMAND…]",
  flags: {
    check: { type: "boolean", description: "start each, and say how it is" },
    ...commonFlags,
    ...serverFlags,
  },
  run,
};

export default command;

// --- internal ---

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const { flags, positionals } = parsed;
  if (positionals.length > 0)
    throw new HostError("usage", `servers takes no ${JSON.stringify(positionals[0])}`, {
      hint: positionals.some(isUrl)
        ? "the address of a server is given by -s URL"
        : "mcphost doctor SERVER looks at one",
    });
  const config = await configFromFlags(parsed, io);
  const check = flags["check"] === true && config.servers.some((one) => one.disabled !== true);
  // Where they are opened, that is said there.
  if (!check) for (const text of config.warnings) log({ level: "warn", text });
  const asked = check ? await checked(parsed, io, log) : undefined;
  // What the look at each brought is remembered by now.
  const remembered = await known(config, parsed, io, log);
  const { rows, failures } = asked ?? remembered;
  for (const [name, row] of rows) {
    const { transport } = remembered.rows.get(name) ?? {};
    if (transport !== undefined) row.transport = transport;
  }
  const listed = [
    ...config.servers.map(({ name }) => rows.get(name)).filter((row) => row !== undefined),
    ...config.bad.map(badRow),
    ...config.plugins.map((entry) => pluginRow(entry, check)),
  ];
  const hide = (text: string) => redact(text, io.secrets ?? []);
  const width = widthOf(io);
  const text =
    flags["json"] === true
      ? hide(`${JSON.stringify(listed)}\n`)
      : fold(hide(tableOf(listed, (file, room) => cutStart(hide(file), width - room))), width);
  await io.stdout.write(shown(text, io));
  if (listed.length === 0 && flags["json"] !== true) {
    const { message, hint } = await noServers(io, config);
    log({ level: "warn", text: `${message}; ${hint}` });
  }
  return await reportFailures([...config.bad.map(failureOf), ...failures], parsed, io);
}

interface Known {
  rows: Map<string, ServerRow>;
  failures: Failure[];
}

/** What is known without starting anything or asking anybody. */
async function known(config: Config, parsed: Parsed, io: Io, log: Log): Promise<Known> {
  const terminal = { stdin: false, stdout: false, stderr: false, columns: 80 };
  const nobody = { ...io, terminal };
  const prepare = prepareFromFlags(parsed, nobody, log, config);
  const { cache } = ourPaths(io.env);
  const useCache = parsed.flags["no-cache"] !== true && cache !== undefined;
  const verdicts = useCache ? verdictStore({ folder: cache, log }) : undefined;
  const rows = new Map<string, ServerRow>();
  const failures: Failure[] = [];
  for (const server of config.servers) {
    const row = rowOf(server, "idle");
    rows.set(server.name, row);
    if (server.disabled) {
      row.state = "disabled";
      continue;
    }
    try {
      const ready = await prepare(server, io.signal);
      const verdict = await verdicts?.read(verdictKey(ready));
      if (verdict) Object.assign(row, { era: verdict.era, revision: verdict.revision });
      const transport = transportOf(ready, verdict);
      if (transport !== undefined) row.transport = transport;
    } catch (error) {
      failures.push(failed(row, error));
    }
    const tools = useCache ? await recalledTools(io.env, server) : undefined;
    if (tools) row.tools = tools.length;
  }
  return { rows, failures };
}

/** Undefined where it is not known yet, and of a server that is started. */
function transportOf(server: ServerConfig, verdict: Verdict | undefined): ServerRow["transport"] {
  if (server.kind === "stdio") return undefined;
  if (server.transport !== "auto") return server.transport;
  return verdict && (verdict.transport ?? "http");
}

/** What each server says of itself. */
async function checked(parsed: Parsed, io: Io, log: Log): Promise<Known> {
  await using opened = await openFromFlags(parsed, io, log);
  const { host, config } = opened;
  const listing = await host.tools({ signal: io.signal });
  const rows = new Map<string, ServerRow>();
  const failures: Failure[] = [];
  const statuses = new Map(host.servers().map((status) => [status.name, status]));
  for (const server of config.servers) {
    const row = rowOf(server, server.disabled ? "disabled" : "ready");
    rows.set(server.name, row);
    const { era, revision, serverInfo, instructions } = statuses.get(server.name) ?? {};
    const own = listing.tools.filter((tool) => tool.server === server.name);
    Object.assign(row, { era, revision, serverInfo, instructions });
    const failure = listing.failed.find((one) => one.server === server.name);
    if (failure) failures.push(failed(row, await opened.explain(failure.error)));
    else if (!server.disabled) row.tools = own.length;
    if (own.length > 0 && parsed.flags["no-cache"] !== true)
      await rememberTools(io.env, server, own);
  }
  return { rows, failures };
}

function rowOf({ name, kind, origin }: ServerConfig, state: ServerRow["state"]): ServerRow {
  return { name, kind, state, from: { kind: origin.kind, file: origin.file ?? origin.label } };
}

function badRow({ name, origin, reason }: Config["bad"][number]): ServerRow {
  return {
    name,
    kind: "",
    state: "misconfigured",
    from: { kind: origin.kind, file: origin.file ?? origin.label },
    error: { code: "config", message: reason },
  };
}

/** By what names it: its own name is known once it runs. One that is opened with the servers, and is wrong, has ended that. */
function pluginRow({ spec, origin }: PluginEntry, isOpened: boolean): ServerRow {
  const from = { kind: origin.kind, file: origin.file ?? origin.label };
  return { name: spec, kind: "plugin", state: isOpened ? "ready" : "idle", from };
}

const states: Partial<Record<ErrorCode, ServerRow["state"]>> = {
  denied: "untrusted",
  config: "misconfigured",
  usage: "misconfigured",
};

/** @throws what is no fault of the server */
function failed(row: ServerRow, error: unknown): Failure {
  if (!isHostError(error) || error.code === "cancelled") throw error;
  row.state = states[error.code] ?? "failed";
  row.error = { code: error.code, message: error.message };
  return { server: row.name, error };
}
