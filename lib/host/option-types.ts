/** What a host is opened with, by a script and by our own surfaces, and what it keeps between runs. */
import type { Log } from "../base/log.ts";
import type { Answers } from "../client/answer-types.ts";
import type { Verdict } from "../client/connect-types.ts";
import type { ToolList } from "../client/types.ts";
import type { HttpServer, Limits, PolicyRule, ServerConfig, StdioServer } from "../config/types.ts";
import type { Plugin } from "../hooks/plugin.ts";
import type { Child, Reaper } from "../process/child.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import type { AheadFetch } from "../transport/ahead-fetch.ts";
import type { Transport } from "../transport/transport.ts";
import type { ApprovalKeeper, Approver, Gate } from "./gate-types.ts";
import type { Recorder } from "./record-types.ts";
import type { HostedConfig } from "./server-types.ts";

/** Remembers era verdicts between runs; both never throw. */
export interface VerdictStore {
  read(key: string): Promise<Verdict | undefined>;
  write(key: string, verdict: Verdict): Promise<void>;
}

/** Keeps the lists of tools of modern servers between runs, as long as these allow; none of it throws. */
export interface ToolListStore {
  /** What was kept of a server that runs now, while that is fresh; its `at` is before all time. */
  read(server: string): Promise<(ToolList & { at: number }) | undefined>;
  write(server: string, list: ToolList): void;
  forget(server: string): void;
}

/** What a library user writes for one server: how it is started, or where it is reached. Nothing in it is filled in. */
export type HostServer = HostStdioServer | HostHttpServer;

type Written<Server> = Partial<Omit<Server, "kind" | "written" | "origin" | "name">>;

type HostStdioServer = Written<StdioServer> & { command: string };

/** `transport`: by default found out, from a URL of `ws` or `wss` too. In `tls` a file's path or PEM text. */
type HostHttpServer = Written<HttpServer> & { url: string };

export interface HostOptions {
  /** By name. */
  servers: Record<string, HostServer>;
  policy?: PolicyRule[];
  /** Set up in this order, cleaned up in reverse when the host ends. */
  plugins?: readonly Plugin[];
  /** Our environment, from which the children's small base is taken. @default none */
  env?: Record<string, string | undefined>;
  /** Ends everything when aborted. */
  signal?: AbortSignal;
  log?: Log;
  limits?: Partial<Limits>;
  /** What answers servers that ask back; what is absent is not declared to them. */
  answers?: Omit<Answers, "relay">;
}

/** How the command line (and later surfaces) open a host: config entries as written, made ready when first needed. */
export interface OpenHostOptions {
  servers: HostedConfig[];
  /**
   * Makes an entry ready to start: trust, expansion, secrets, questions. Called once per start, only for servers needed.
   * @throws HostError `config` `denied`
   */
  prepare: (server: ServerConfig, signal: AbortSignal) => Promise<ServerConfig>;
  policy: PolicyRule[];
  env: Record<string, string | undefined>;
  signal: AbortSignal;
  log: Log;
  limits?: Partial<Limits>;
  answers?: Answers;
  verdicts?: VerdictStore;
  toolLists?: ToolListStore;
  /** What to ask servers to log; null: nothing is asked. @default "warning" */
  serverLogLevel?: McpLogLevel | null;
  /** What every call goes through. @default only one that is asked about goes through one */
  gate?: Gate;
  /** Who is asked about calls. @default nobody, which denies them */
  approve?: Approver;
  /** Keeps what is asked about, so that others may answer, too. @default only `approve` is asked */
  keeper?: ApprovalKeeper;
  /** Writes down what becomes of calls. @default nothing is */
  record?: Recorder;
  /** Each link to a server, for whoever looks on at what goes over it. */
  seen?: (server: string, link: Transport) => Transport;
  /** How long a server that fell silent may take to answer a ping before it is stopped. @default 15000 */
  pingMs?: number;
  /** Starts the reaper, so that servers end even if we are killed. @default true */
  reaper?: boolean;
  /** A server that runs already: its first start takes this process, and the host its reaper. */
  started?: { server: string; child: Child; reaper: Reaper | undefined };
  /** A server that is reached and was asked already: the first link to one takes its answers. */
  asked?: AheadFetch;
}
