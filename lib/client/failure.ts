/**
 * What to say when a server does not come up: turns whatever ended the handshake into one `server_start` error with the
 * evidence (exit, signal, stderr, noise on stdout) and what to do. Decides by codes, never by reading messages.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { Facts } from "../base/errors.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import type { CloseInfo } from "../transport/transport.ts";

export interface FailureOptions {
  /** The server's configured name. */
  name: string;
  /** The request that was not answered, such as `initialize`. */
  method: string;
  /** How the link ended, or what is known while it is open. */
  info: Partial<CloseInfo>;
  /** How long we waited since the start. */
  waitedMs: number;
  /** It answered when its stdin was closed. */
  isBuffered?: boolean;
}

/** The error to throw for a handshake that failed. Cancellation and errors that already say it all go through. */
export function startFailure(error: unknown, options: FailureOptions): HostError {
  const { name, method, info, waitedMs, isBuffered = false } = options;
  if (error instanceof RpcError) {
    return new HostError("server_start", `server "${name}" refused ${method}: ${error.message}`, {
      facts: { server: name, rpcCode: error.code, rpcData: error.data, ...evidence(info) },
      hint: "that is the server's own answer; what it needs is usually in its settings or its documentation",
      cause: error,
    });
  }
  if (isHostError(error) && error.code === "timeout") {
    const { stray } = error.facts;
    const strayed =
      stray === undefined ? "" : ` (it answered under id ${stray}, which was never sent)`;
    const remark = isBuffered ? ", but as soon as its stdin was closed" : strayed;
    const seconds = (waitedMs / 1000).toFixed(waitedMs < 10_000 ? 1 : 0);
    return new HostError(
      "server_start",
      `server "${name}" did not answer ${method} in ${seconds} s${remark}`,
      {
        facts: {
          server: name,
          timeoutMs: Math.round(waitedMs),
          ...(stray !== undefined && { stray }),
          ...evidence(info),
          ...(stray === undefined &&
            !isBuffered &&
            hintOf(info) === undefined && {
              option: info.stderr === undefined ? "timeoutMs" : "startTimeoutMs",
            }),
        },
        hint:
          (isBuffered ? bufferHint : undefined) ??
          (stray !== undefined ? error.hint : undefined) ??
          hintOf(info) ??
          (info.stderr === undefined
            ? "is an MCP server at that URL? if it is slow to answer, raise timeoutMs (and startTimeoutMs)"
            : "is it an MCP server on stdin and stdout? if it is slow to start, raise startTimeoutMs"),
        cause: error,
      },
    );
  }
  if (isHostError(error) && error.code === "server_exit") {
    const left = info.exitCode === 0 && info.leaves ? leftHint : undefined;
    const said = info.stderr === undefined ? error.hint : stderrHint(info.stderr.length > 0);
    const hint = hintOf(info) ?? left ?? said;
    return new HostError(
      "server_start",
      `server "${name}" ${endOf(info)} before it answered ${method}`,
      {
        facts: { server: name, ...evidence(info) },
        ...(hint !== undefined && { hint }),
        cause: error,
      },
    );
  }
  if (isHostError(error) && error.code !== "rpc_error") return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new HostError("server_start", `server "${name}" could not be used: ${reason}`, {
    facts: { server: name, ...evidence(info) },
    cause: error,
  });
}

/** As `startFailure`, of a server that is reached over HTTP: what a failed exchange says of itself goes through. */
export function remoteFailure(
  error: unknown,
  { name, method, waitedMs }: Omit<FailureOptions, "info">,
): HostError {
  if (!isHostError(error) || error.code === "timeout")
    return startFailure(error, { name, method, info: {}, waitedMs });
  const { code, message, facts, hint } = error;
  if (code !== "server_exit" && code !== "rpc_error") return error;
  return new HostError("server_start", message, {
    facts: { ...facts, server: name, method },
    ...(hint !== undefined && { hint }),
    cause: error,
  });
}

/** The error for a program that sends back what it gets. */
export function echoFailure(cause: unknown, name: string): HostError {
  return new HostError(
    "server_start",
    `server "${name}" is no MCP server: it sends back what it gets`,
    {
      facts: { server: name },
      hint: "its command must start a program that speaks MCP on stdin and stdout",
      cause,
    },
  );
}

// --- internal ---

const bufferHint =
  "what it writes lies in a buffer of its own: it must flush each message (for Python set PYTHONUNBUFFERED=1 in its `env`)";

const leftHint =
  "what it started goes on without it; if that is the server, its command has to stay as long as that does (exec, or wait)";

/** The likely reason, where stdout shows one. */
function hintOf({ noise }: Partial<CloseInfo>): string | undefined {
  if (noise?.contentLength) {
    return "it frames messages with Content-Length; MCP on stdio is one JSON message a line";
  }
  if (noise?.count) {
    return `it wrote on stdout what is no message (${JSON.stringify(noise.first[0] ?? "")}); logs belong on stderr`;
  }
  return undefined;
}

function stderrHint(spoke: boolean): string {
  return spoke
    ? "its last lines on stderr tell why"
    : "it said nothing on stderr; start its command by hand to see what it does";
}

/** How a link ended, in words that follow "the server". */
function endOf(info: Partial<CloseInfo>): string {
  if (info.how !== undefined) return info.how;
  if (info.signal) return `was ended by ${info.signal}`;
  if (info.exitCode !== undefined) return `exited with code ${info.exitCode}`;
  if (info.kind === "eof") return "closed its stdout";
  if (info.kind === "local") return "was stopped";
  return "was lost";
}

/** The facts of a link for an error: only what is known. */
function evidence(info: Partial<CloseInfo>): Facts {
  const { exitCode, signal, httpStatus, stderr, noise } = info;
  return {
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(stderr?.length && { stderr }),
    ...(noise?.count && { noise }),
  };
}
