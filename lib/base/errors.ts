/**
 * The one error class of the host, with a closed set of codes and the exit status of each.
 * A code is given where the error arises; nothing here reads messages or prints.
 */

/** What went wrong, as handlers need it (cli.md, exit table). */
export type ErrorCode =
  | "tool_error"
  | "rpc_error"
  | "usage"
  | "config"
  | "server_start"
  | "server_exit"
  | "timeout"
  | "denied"
  | "uncertain"
  | "auth_required"
  | "output"
  | "cancelled";

/** Evidence beside the message; values are JSON so that `--json` can print them. Known keys are listed first. */
export interface Facts {
  server?: string;
  tool?: string;
  /** Exit code of a server process. */
  exitCode?: number;
  /** Signal name, such as "SIGKILL": of a server that died, or of the signal that cancelled us. */
  signal?: string;
  /** Last lines that the server wrote on stderr, oldest first. */
  stderr?: string[];
  /** JSON-RPC error code and data of the peer. */
  rpcCode?: number;
  rpcData?: unknown;
  timeoutMs?: number;
  /** The option of the host that the hint is about, such as `timeoutMs`: a surface names what sets it there. */
  option?: string;
  file?: string;
  line?: number;
  column?: number;
  [key: string]: unknown;
}

export interface HostErrorOptions {
  facts?: Facts;
  /** What the reader can do about it: one sentence, shown on a line of its own. */
  hint?: string;
  cause?: unknown;
}

const brand = Symbol.for("mcphost.error");
const inspect = Symbol.for("nodejs.util.inspect.custom");

/** An error of the host. `message` says what failed, `facts` the evidence, `hint` what to do. */
export class HostError extends Error {
  readonly code: ErrorCode;
  readonly facts: Facts;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: HostErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HostError";
    this.code = code;
    this.facts = options.facts ?? {};
    this.hint = options.hint;
    Object.defineProperty(this, brand, { value: true });
  }

  /** What `console.log` shows: Bun would quote the source around the place, which is one long line of ours. */
  [inspect](): string {
    const facts = JSON.stringify(this.facts);
    const hint = this.hint === undefined ? "" : `\n  ${this.hint}`;
    return `HostError (${this.code}): ${this.message}${hint}${facts === "{}" ? "" : `\n  ${facts}`}`;
  }
}

/** True for a `HostError`, also one of another copy of this module. */
export function isHostError(value: unknown): value is HostError {
  return typeof value === "object" && value !== null && brand in value;
}

const exitCodes: Record<ErrorCode, number> = {
  tool_error: 1,
  rpc_error: 1,
  usage: 2,
  config: 2,
  server_start: 3,
  server_exit: 3,
  timeout: 4,
  denied: 5,
  uncertain: 6,
  auth_required: 7,
  output: 8,
  cancelled: 130,
};

const signalCodes: Record<string, number> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** The process exit status of an error: 1 for anything that is not a `HostError`. */
export function exitCodeOf(error: unknown): number {
  if (!isHostError(error)) return 1;
  if (error.code === "cancelled")
    return signalCodes[error.facts.signal ?? ""] ?? exitCodes.cancelled;
  return exitCodes[error.code];
}

/** What an error of the system or of Bun says of itself beside its words: its code, such as `ENOENT`; undefined where it has none. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
