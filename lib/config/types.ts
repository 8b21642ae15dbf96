/** What people configured, as one checked value, whatever shape it was written in (cli.md, Config). */
import type { Json } from "../base/json.ts";
import type { ProtocolChoice } from "../protocol/mcp.ts";
import type { Origin } from "./origin.ts";
import type { RecordSettings, ServeSettings } from "./setting-types.ts";

interface ServerCommon {
  name: string;
  origin: Origin;
  /** The entry exactly as written, before expansion: trust hashes it. */
  written: unknown;
  protocol: ProtocolChoice;
  /** Idle time of a call. */
  timeoutMs?: number;
  /** For the handshake. @default 60000; of a server that is reached, `timeoutMs` where that is less */
  startTimeoutMs?: number;
  /** Calls in flight at a time. @default 64 */
  concurrency?: number;
  /** Calls that may wait for their turn. @default 256 where the host is lent, else any number */
  queueMax?: number;
  /** The longest wait for a turn. @default 30000 where the host is lent, else any time */
  queueMs?: number;
  lifecycle: "lazy" | "eager" | "per-call";
  /**
   * Who has a process, or a session, in common: all clients, each client, nobody (each call has its own). @default all, but
   * for clients whose state would reach it
   */
  share?: "all" | "client" | "call";
  idleMs?: number;
  restart?: boolean;
  /** @default `<name>_` */
  prefix?: string;
  /** Globs over the server's own tool names. An empty list allows none. */
  allowedTools?: string[];
  /** Denied wins. */
  deniedTools?: string[];
  /** Own tool name → exposed name. */
  rename?: Record<string, string>;
  approval?: "policy" | "always" | "never";
  toolsWithoutApproval?: string[];
  disabled?: boolean;
  /** file:// URIs or paths. */
  roots?: string[];
}

export interface StdioServer extends ServerCommon {
  kind: "stdio";
  command: string;
  args: string[];
  /** A null value unsets a variable of the base. */
  env: Record<string, string | null>;
  envFile?: string;
  cwd?: string;
  inheritEnv?: boolean;
  stopMs?: number;
  /** Command and args stand as they are: nothing in them is expanded (`--` and `-s`). */
  literal?: boolean;
  /** From `--env` and from assignments in `-s`: over `envFile` and `env`, never expanded. */
  givenEnv?: Record<string, string>;
}

export interface HttpServer extends ServerCommon {
  kind: "http";
  transport: "auto" | "http" | "sse" | "ws";
  url: string;
  headers: Record<string, string>;
  tls?: ServerTls;
}

/** How one server is known, and how we are known to it. Files as written; in a server made ready their PEM text. */
export interface ServerTls {
  /** The authorities to trust instead of the usual ones. */
  ca?: string;
  /** Our certificate, and its key: both or none. */
  cert?: string;
  key?: string;
  passphrase?: string;
  /** Any certificate will do. @default false */
  insecure?: boolean;
}

export type ServerConfig = StdioServer | HttpServer;

/** One rule of `policy`; all keys but `do` are optional. */
export interface PolicyRule {
  tools?: string;
  servers?: string;
  actor?: string;
  annotations?: Record<string, boolean>;
  /** JSON pointer → glob over the value's text. */
  arguments?: Record<string, string>;
  do: "allow" | "deny" | "ask";
  /**
   * This `allow` is the answer of the person who typed the command to every rule that asks (`--allow-tool`,
   * `--allow-all`); no config can say it. @default false
   */
  answers?: boolean;
  reason?: string;
  origin?: Origin;
}

/** A plugin as it is named: what it is, nobody knows before it is loaded. */
export interface PluginEntry {
  /** A file, seen from the folder of its config, or a package. */
  spec: string;
  /** Given to a plugin that is a function. */
  options?: Json;
  /** The entry exactly as written. */
  written: unknown;
  origin: Origin;
}

/** A server entry that could not be used, with the reason: it takes no other server down. */
export interface BadServer {
  name: string;
  origin: Origin;
  /** Where in the file, and what is wrong there. */
  reason: string;
  hint?: string;
}

export interface Limits {
  lineBytesMax: number;
  responseBytesMax: number;
  connectTimeoutMs: number;
  pagesMax: number;
  toolsMax: number;
  roundsMax: number;
  stderrTailBytes: number;
  schemaBytesMax: number;
  probeTimeoutMs: number;
  /** For each hook of a plugin. */
  hookTimeoutMs: number;
  /** For whoever approves a call, or answers a server, plugins among them. */
  approvalTimeoutMs: number;
}

/** A choice of tools, by the name that clients ask for it. */
export interface Profile {
  /** Globs over names of tools. */
  tools: string[];
}

/** What a config says about one of its inputs. */
export interface InputWords {
  description?: string;
  /** @default false */
  password?: boolean;
  default?: string;
  /** Of a `pickString`: no other value is taken. */
  options?: { value: string; label: string }[];
}

/** The checked whole. Servers are as written (unexpanded): `expandServer` makes one ready to start. */
export interface Config {
  servers: ServerConfig[];
  bad: BadServer[];
  policy: PolicyRule[];
  /** In the order in which they run: the user's, then those of other configs, then those of flags. */
  plugins: PluginEntry[];
  limits: Partial<Limits>;
  serve: ServeSettings;
  records: RecordSettings;
  /** By name. */
  profiles: Record<string, Profile>;
  /** Hints about keys nobody knows and the like, in words for a person. */
  warnings: string[];
  /** VS Code's `inputs`, by id. */
  inputs: Record<string, InputWords>;
  /** Files that were read, in the order of their weight. */
  files: Origin[];
}
