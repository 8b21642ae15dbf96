/**
 * The flags that several commands share, written once (cli.md, Commands). A command spreads the fragments that it can
 * honour into its own table: a flag that would do nothing there is unknown there.
 */
import { HostError } from "../base/errors.ts";
import { durationMsMax, parseDuration } from "../config/duration.ts";
import type { FlagTable, Parsed } from "./types.ts";

/** Every command has these; `main` itself acts on them. */
export const commonFlags: FlagTable = {
  json: {
    type: "boolean",
    description: "JSON on stdout, and on stderr errors and log entries as JSON lines",
  },
  quiet: { type: "boolean", alias: ["q"], description: "only errors on stderr" },
  "log-level": {
    type: "string",
    valueHint: "LEVEL",
    description: "debug, info, warn or error: what is shown, and what servers are asked to log",
  },
  "max-time": {
    type: "string",
    valueHint: "DURATION",
    description: "give up the whole command after that (30s, 500ms, a bare number is seconds)",
  },
};

/** Where the binaries of a tool's result are kept. */
export const resultFlags: FlagTable = {
  output: {
    type: "string",
    alias: ["o"],
    valueHint: "FILE",
    description: "keep the one binary, or the text, in a file, byte for byte (- is stdout)",
  },
  save: { type: "string", valueHint: "DIR", description: "keep all binaries in a folder" },
};

/** Where servers come from, and how they are started. */
export const serverFlags: FlagTable = {
  "-- COMMAND…": {
    type: "positional",
    description: "one server by its command line, taken as it stands; it is called server",
  },
  server: {
    type: "string",
    alias: ["s", "mcp-server"],
    valueHint: "SPEC",
    repeat: true,
    description: "a server: NAME=COMMAND LINE, NAME:stdio:COMMAND LINE, a URL or NAME=URL",
  },
  config: {
    type: "string",
    alias: ["c", "mcp-config", "mcp-servers-config"],
    valueHint: "FILE",
    repeat: true,
    description: "a config file of any known format",
  },
  "config-json": {
    type: "string",
    alias: ["mcp-servers-json"],
    valueHint: "JSON",
    repeat: true,
    description: "a config given inline",
  },
  env: {
    type: "string",
    valueHint: "K[=V]",
    repeat: true,
    description: "a variable for the server; K alone passes our own value on",
  },
  "inherit-env": { type: "boolean", description: "pass our whole environment to the server" },
  header: {
    type: "string",
    valueHint: "'K: V'",
    repeat: true,
    description: "a header for servers that are reached by a URL; ${VAR} in it is filled in",
  },
  cwd: { type: "string", valueHint: "DIR", description: "the folder that the server starts in" },
  timeout: {
    type: "string",
    valueHint: "DURATION",
    description:
      "how long a call may hear nothing of its server (60s); progress renews it; a longer one is also the time for a start",
  },
  protocol: {
    type: "string",
    valueHint: "ERA",
    description: "auto, legacy, modern, or a revision such as 2025-11-25",
  },
  input: {
    type: "string",
    valueHint: "ID=VALUE",
    repeat: true,
    description: "the value of ${input:ID} in a config",
  },
  elicit: {
    type: "string",
    valueHint: "JSON",
    description:
      "answer what servers ask in a form: an object of values by field, {} for the defaults, or decline or cancel",
  },
  plugin: {
    type: "string",
    valueHint: "FILE",
    repeat: true,
    description: "a script whose hooks see every call, and whose tools are offered, too",
  },
  trust: { type: "boolean", description: "trust a config that was found, for this run" },
  "no-user-config": { type: "boolean", description: "leave the user's own config out" },
  "no-cache": {
    type: "boolean",
    description: "neither read nor write what was learned of servers",
  },
  stderr: { type: "boolean", description: "copy all that servers write on stderr, to their end" },
  wait: { type: "boolean", description: "wait until the servers have ended" },
};

/** Where the store is named, for the commands that only look into it. */
export const storeFlags: FlagTable = {
  config: { ...serverFlags["config"]!, description: "a config file that names the store" },
  "no-user-config": serverFlags["no-user-config"]!,
};

/** What may be called. */
export const policyFlags: FlagTable = {
  "allow-tool": {
    type: "string",
    valueHint: "GLOB",
    repeat: true,
    description: "answer yes to the rules that ask before these tools are called",
  },
  "deny-tool": {
    type: "string",
    valueHint: "GLOB",
    repeat: true,
    description: "these tools may not be called",
  },
  "ask-tool": {
    type: "string",
    valueHint: "GLOB",
    repeat: true,
    description: "ask before these tools are called",
  },
  "allow-all": {
    type: "boolean",
    alias: ["A"],
    description: "answer yes to every rule that asks; what is denied stays denied",
  },
};

/** A repeatable flag's values, in the order given. */
export function listOf(value: string | boolean | string[] | undefined): string[] {
  return Array.isArray(value) ? value : [];
}

/** A string flag's value. */
export function textOf(value: string | boolean | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * A flag's length of time in milliseconds; 0 means no limit, as curl has it.
 * @throws HostError `usage`
 */
export function durationOf(flags: Parsed["flags"], name: string): number | undefined {
  const text = textOf(flags[name]);
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new HostError("usage", `--${name} ${text} is no length of time`, {
      hint: "write 30s, 500ms, 2m or 1h; a bare number is seconds",
    });
  return ms === 0 ? durationMsMax : ms;
}
