/**
 * What a plugin is: a plain object with a name that may bring hooks, tools and a `setup`. The contract of each hook stands
 * on its type: when it runs, whether it may throw, in what order, and how results merge. Types, and `definePlugin`, which
 * only types.
 */
import type { Json, JsonObject } from "../base/json.ts";
import type { LogEntry } from "../base/log.ts";
import type { AuditEvent } from "../store/types.ts";
import type { Outcome } from "./call.ts";
import type {
  Approval,
  BeforeCall,
  OfferedTool,
  PluginCall,
  PluginFrame,
  PluginServer,
  Question,
  ServerEnd,
  ServerRequest,
} from "./hook-types.ts";
import type { PluginTool } from "./plugin-tool.ts";

/** `T`: the input schemas of its tools by name, which `definePlugin` finds; any will do. */
export interface Plugin<T extends Record<string, unknown> = Record<string, any>> {
  /** Unique among the plugins of a host; the server of its tools is called so. */
  name: string;
  /** Tools of its own: they keep their names, and pass the same gate as those of servers. */
  tools?: { [K in keyof T]: PluginTool<T[K]> };
  hooks?: Hooks;
  /**
   * Runs before anything else of the plugin; of several plugins one after the other, in order. What it returns is run when
   * the host ends, in reverse order. May be async, within `hookTimeoutMs`. What it throws keeps the host from opening.
   */
  setup?(context: SetupContext): Cleanup | void | Promise<Cleanup | void>;
}

/** May be async, within `hookTimeoutMs`; what it throws is logged. */
export type Cleanup = () => unknown;

export interface SetupContext {
  /** Into the host's own log. */
  log(text: string): void;
}

/** Types a plugin, its hooks, and the arguments of its tools by their input schemas. Returns what it is given. */
// A function has a name, too, so that it would be taken for a plugin.
export function definePlugin<const T extends Record<string, unknown>, Options>(
  plugin: (options: Options) => Plugin<T> | Promise<Plugin<T>>,
): (options: Options) => Plugin<T> | Promise<Plugin<T>>;
export function definePlugin<const T extends Record<string, unknown>>(plugin: Plugin<T>): Plugin<T>;
export function definePlugin(plugin: unknown): unknown {
  return plugin;
}

type Maybe<T> = T | undefined | null | void | Promise<T | undefined | null | void>;

/**
 * Plugins run in the order in which they are given. Nothing, null and undefined mean: no word. Every hook but `message`,
 * `log`, `serverStop` and `serverLog` may be async, and has `hookTimeoutMs` (5 s) for its answer; those that wait for
 * people or models (`approve`, `elicit`, `sample`) have `approvalTimeoutMs` (10 min).
 */
export interface Hooks {
  /**
   * Before a list of tools is shown, and before a name is looked up: gets what is listed by then (of one server, it may be),
   * what the plugin before returned. Returns the tools to offer: some of them, in any order, with another `name`, `title`
   * or `description`; a tool given twice under two names has both. Of one that is left out nobody hears. What it throws, and
   * a tool that was not among those given, takes all tools away.
   */
  listTools?(tools: readonly OfferedTool[]): Maybe<readonly OfferedTool[]>;
  /**
   * Before each call that no rule denies, once its arguments fit. The first `deny` ends it; of all that plugins and rules
   * say, ask is stronger than allow; arguments are handed on to the next plugin; the first `result` stands, and the other
   * plugins and the approver are asked all the same. What it throws denies the call. Of arguments that an approver changed it
   * is asked again, and only `deny` and `result` count then.
   */
  beforeCall?(call: PluginCall): Maybe<BeforeCall>;
  /**
   * Of a call that a rule or a plugin asks about: the first plugin that says something decides; where none does, the host
   * asks the person. Arguments are validated again, and the rules are applied again. What it throws denies the call.
   */
  approve?(call: PluginCall, question: Question): Maybe<Approval>;
  /**
   * After each call that had a tool, however it ended, a denied one too; the outcome is frozen. `result` takes the place of
   * the result, for the next plugin too, of a call that completed or failed; others cannot be replaced. Of a
   * call that was left to itself it runs once more when its result is fetched, with no arguments. What it throws is logged,
   * and changes nothing.
   */
  afterCall?(call: PluginCall, outcome: Outcome): Maybe<{ result: Json }>;
  /**
   * A server asks for a form (`params.mode` absent or "form") or a visit ("url"). The first plugin that answers with the
   * protocol's own result `{ action, content? }` decides; where none does, whoever else is there is asked. What it throws
   * is an answer without a word (`cancel`).
   */
  elicit?(request: ServerRequest): Maybe<JsonObject>;
  /** A server asks for the message of a model. As `elicit`; what it throws refuses. */
  sample?(request: ServerRequest): Maybe<JsonObject>;
  /** A server asks for roots: `{ uri, name? }[]`. The first plugin that answers decides; what it throws is logged, and no answer. */
  roots?(server: string): Maybe<readonly { uri: string; name?: string }[]>;
  /**
   * Before a server is started or reached, for its list too. `deny`, and what it throws, keeps it from starting.
   */
  serverStart?(server: PluginServer): Maybe<{ deny: string }>;
  /**
   * The link to a server is closed: by us (`local`), by its exit, or otherwise. A one-shot command leaves its servers behind,
   * and is not told of their end. What it throws is logged, once.
   */
  serverStop?(server: string, info: ServerEnd): void;
  /** A line of a server's stderr, or a log notification. What it throws is logged, once. */
  serverLog?(server: string, line: { readonly text: string; readonly level: string }): void;
  /** Each message, before it goes on; it cannot be changed. What it throws is logged, once. */
  message?(frame: PluginFrame): void;
  /** Each entry of the host's own log. What it throws is logged, once. */
  log?(entry: Readonly<LogEntry>): void;
  /**
   * Each event before it is written to the audit log: what is to be kept of its particulars, or nothing, said at once. What it
   * throws, and any other answer, is logged and costs the event its particulars.
   */
  audit?(event: Readonly<AuditEvent> & { readonly detail: Readonly<JsonObject> }): {
    detail: JsonObject;
  } | void;
}

export type HookName = keyof Hooks;
