/**
 * Errors as answers of HTTP: a status and a JSON body `{"error":{"code","message",…}}`. The one place where they are
 * rendered; nothing about paths of this machine, a server's stderr or secrets ever stands in them.
 */
import { type ErrorCode, type Facts, isHostError } from "../base/errors.ts";
import { RpcError } from "../protocol/jsonrpc.ts";

/** What can be wrong with a request itself, beside the codes of `HostError`. */
export type HttpCode =
  | "bad_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "conflict"
  | "precondition_required"
  | "too_large"
  | "unsupported_media_type"
  | "upgrade_required"
  | "busy"
  | "loop"
  | "stopping"
  | "internal";

export interface HttpErrorOptions {
  /** More headers of the answer. */
  headers?: Record<string, string>;
  /** JSON values beside `code` and `message`; they are shown as they are. */
  facts?: Record<string, unknown>;
  /** What to do about it: one sentence. */
  hint?: string;
}

const brand = Symbol.for("mcphost.http-error");

/** An answer that is an error. Thrown by a handler, it is sent as it says. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: HttpCode | ErrorCode;
  readonly options: HttpErrorOptions;

  constructor(
    status: number,
    code: HttpCode | ErrorCode,
    message: string,
    options: HttpErrorOptions = {},
  ) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.code = code;
    this.options = options;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** True for an `HttpError`, also one of another copy of this module. */
export function isHttpError(value: unknown): value is HttpError {
  return typeof value === "object" && value !== null && brand in value;
}

/** The body of an error: what `{"error": …}` holds. */
export interface ErrorBody {
  code: string;
  message: string;
  hint?: string;
  [fact: string]: unknown;
}

/** Anything that was thrown, as an `HttpError`. What is no error of ours tells nothing of itself. */
export function toHttpError(error: unknown): HttpError {
  if (isHttpError(error)) return error;
  if (isHostError(error)) {
    const { code, message, facts, hint } = error;
    const isBusy = facts["busy"] === true;
    return new HttpError(isBusy ? 503 : statusOf(code), code, withoutPaths(message), {
      facts: shownFacts(facts),
      ...(isBusy && { headers: { "retry-after": secondsOf(facts["retryMs"]) } }),
      ...(hint !== undefined && { hint: withoutPaths(hint) }),
    });
  }
  if (error instanceof RpcError)
    return new HttpError(502, "rpc_error", error.message, {
      facts: { rpcCode: error.code, ...(error.data !== undefined && { rpcData: error.data }) },
    });
  return new HttpError(500, "internal", "internal error; the log of serve says more");
}

/** What an error shows of itself to a client. */
export function errorBody(error: unknown): ErrorBody {
  const { code, message, options } = toHttpError(error);
  const { facts, hint } = options;
  const body = { code, message, ...(hint !== undefined && { hint }) };
  return { ...body, ...facts, ...body };
}

/** The answer to a request that ended with `error`. @param redact hides secrets in it */
export function errorResponse(error: unknown, redact: (text: string) => string): Response {
  const { status, options } = toHttpError(error);
  return new Response(redact(JSON.stringify({ error: errorBody(error) })), {
    status,
    headers: { "content-type": "application/json", ...options.headers },
  });
}

/** The status of an error by its code. */
function statusOf(code: ErrorCode): number {
  return statuses[code];
}

/** `text` with the absolute paths of this machine cut down to their last name. */
export function withoutPaths(text: string): string {
  return text.replace(absolute, (_whole, name: string) => `…/${name}`);
}

// --- internal ---

/** As of `Retry-After`: whole seconds, at least one. */
function secondsOf(ms: unknown): string {
  return String(Math.max(1, Math.ceil(Number(ms) / 1000)));
}

/** `uncertain` and what a server did wrong are a gateway's own: nothing is said about the request. */
const statuses: Record<ErrorCode, number> = {
  tool_error: 502,
  rpc_error: 502,
  usage: 400,
  config: 500,
  server_start: 502,
  server_exit: 502,
  timeout: 504,
  denied: 403,
  uncertain: 502,
  auth_required: 502,
  output: 500,
  cancelled: 503,
};

/** Facts that are about the call or the server's end, and not about this machine. */
const shownNames = [
  "server",
  "tool",
  "exitCode",
  "signal",
  "rpcCode",
  "rpcData",
  "timeoutMs",
  "nearest",
  "argument",
  "sent",
  "httpStatus",
  "busy",
  "retryMs",
] as const;

function shownFacts(facts: Facts): Record<string, unknown> {
  return Object.fromEntries(
    shownNames.flatMap((name) => (facts[name] === undefined ? [] : [[name, facts[name]]])),
  );
}

/** `/a/b/c` and `C:\a\b`, at the start of a word; a URL's path is none. */
const absolute = /(?<![\w:/\\.~%-])(?:[A-Za-z]:\\|\/)(?:[^\s/\\"'`,;()]+[/\\])+([^\s/\\"'`,;()]*)/g;
