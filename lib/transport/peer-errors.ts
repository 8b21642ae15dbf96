/** The errors of a peer, each with its evidence: why a request got no answer. Pure: it makes values and throws nothing. */
import { HostError, isHostError } from "../base/errors.ts";
import type { Facts } from "../base/errors.ts";
import type { About, PeerRequest } from "./peer-request.ts";
import type { CloseInfo, Oversize } from "./transport.ts";

/** What failed: a request or a notification. */
export interface Asked {
  method: string;
  about?: About | undefined;
}

type LinkFacts = Pick<CloseInfo, "stderr" | "noise">;

/** The idle time of a request ran out, or (`capped`) its hard cap; `isSilent`: nothing at all was heard in that time. */
export function timeoutError(
  server: string,
  entry: PeerRequest,
  { link, capped, isSilent }: { link: LinkFacts; capped: boolean; isSilent: boolean },
): HostError {
  const { stray } = entry;
  const timeoutMs = capped ? entry.capMs : entry.timeoutMs;
  const waited = stray === undefined ? `within ${timeoutMs} ms` : "under its id";
  const remarks = noiseTexts(link);
  const hint = timeoutHint(entry, link, capped);
  if (stray !== undefined) remarks.unshift(`answered under id ${stray}, which was never sent`);
  return new HostError(
    "timeout",
    `server "${server}" did not answer ${labelOf(entry)} ${waited}${inBrackets(remarks)}`,
    {
      facts: {
        ...factsOf(server, entry),
        sent: entry.sent !== "unsent",
        timeoutMs,
        ...(isSilent && { silent: true }),
        ...(stray !== undefined && { stray }),
        ...linkFacts(link),
        ...((hint === longer || hint === capHint) && { option: "timeoutMs" }),
      },
      hint,
    },
  );
}

/** The link ended. `sent`: the far side may have got the request whole. */
export function lostError(
  server: string,
  asked: Asked,
  { sent, info }: { sent: boolean; info: CloseInfo },
): HostError {
  const label = labelOf(asked);
  const when = sent ? `while it was answering ${label}` : `before ${label} was sent`;
  const hint = lostHint(info);
  return new HostError(
    "server_exit",
    `server "${server}" ${endingOf(info)} ${when}${inBrackets(noiseTexts(info))}`,
    {
      facts: {
        ...factsOf(server, asked),
        sent,
        ...(info.exitCode !== undefined && { exitCode: info.exitCode }),
        ...(info.signal !== undefined && { signal: info.signal }),
        ...(info.httpStatus !== undefined && { httpStatus: info.httpStatus }),
        ...(info.closeCode !== undefined && { closeCode: info.closeCode }),
        ...linkFacts(info),
      },
      ...(hint !== undefined && { hint }),
      ...(info.error !== undefined && { cause: info.error }),
    },
  );
}

/** The request could not be handed over: the far side closed its stdin, or (`usage`) it cannot be written as JSON. */
export function unsentError(server: string, asked: Asked, cause: unknown): HostError {
  const facts = { ...factsOf(server, asked), sent: false };
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${labelOf(asked)} was not sent to server "${server}": ${reason}`;
  if (!isHostError(cause)) return new HostError("usage", message, { facts, cause });
  const { code, hint } = cause;
  return new HostError(code, message, {
    facts: { ...cause.facts, ...facts },
    ...(hint !== undefined && { hint }),
    cause,
  });
}

/** The caller's signal fired. */
export function cancelledError(server: string, entry: PeerRequest, reason: unknown): HostError {
  return new HostError("cancelled", `${labelOf(entry)} on server "${server}" was cancelled`, {
    facts: { ...factsOf(server, entry), sent: entry.sent !== "unsent" },
    cause: reason,
  });
}

/** The answer was there, but too large (or too deep) to take. */
export function oversizeError(
  server: string,
  entry: PeerRequest,
  { bytes, bytesMax, reason }: Oversize["oversize"],
): HostError {
  const why = reason ?? `is longer than the limit of ${bytesMax} bytes`;
  return new HostError(
    "rpc_error",
    `the answer of server "${server}" to ${labelOf(entry)} ${why} (${bytes} bytes)`,
    {
      facts: { ...factsOf(server, entry), sent: true, bytes, bytesMax },
      ...(reason === undefined && {
        hint: "to take it, raise limits.lineBytesMax in the config (limits.responseBytesMax of a remote server)",
      }),
    },
  );
}

/** An answer that has neither result nor error. */
export function emptyError(server: string, entry: PeerRequest): HostError {
  return new HostError(
    "rpc_error",
    `server "${server}" answered ${labelOf(entry)} with neither a result nor an error`,
    { facts: { ...factsOf(server, entry), sent: true } },
  );
}

// --- internal ---

const stderrLinesShown = 20;

function labelOf({ method, about }: Asked): string {
  return about?.label ?? method;
}

function factsOf(server: string, { method, about }: Asked): Facts {
  return { ...about?.facts, server, method };
}

function linkFacts({ stderr, noise }: LinkFacts): Facts {
  return {
    ...(stderr !== undefined && stderr.length > 0 && { stderr: stderr.slice(-stderrLinesShown) }),
    ...(noise !== undefined && noise.count > 0 && { noise }),
  };
}

function noiseTexts({ noise }: LinkFacts): string[] {
  if (noise === undefined || noise.count === 0) return [];
  const { count } = noise;
  const texts = [
    `${count} ${count === 1 ? "line" : "lines"} on its stdout ${count === 1 ? "was" : "were"} no MCP message`,
  ];
  if (noise.contentLength) texts.unshift("wrote Content-Length headers: not MCP framing");
  return texts;
}

function inBrackets(remarks: string[]): string {
  return remarks.length === 0 ? "" : ` (${remarks.join("; ")})`;
}

function timeoutHint(entry: PeerRequest, { noise }: LinkFacts, capped: boolean): string {
  if (entry.stray !== undefined)
    return "the server must answer each request under the request's own id";
  if (noise?.contentLength) return "the server must write one JSON message a line, without headers";
  if (capped) return capHint;
  return longer;
}

const longer = "a longer timeoutMs waits longer";
const capHint =
  "it went on reporting progress; a longer timeoutMs waits longer, ten times that in all";

/** Only where there was somebody to say something. */
function lostHint({ kind, stderr }: CloseInfo): string | undefined {
  if (kind === "local" || stderr === undefined) return undefined;
  return stderr.some((line) => line.trim() !== "")
    ? "its last lines on stderr tell why"
    : "it said nothing on stderr; start its command by hand to see what it does";
}

function endingOf(info: CloseInfo): string {
  if (info.how !== undefined) return info.how;
  if (info.kind === "exit") {
    if (info.signal !== undefined) return `was ended by ${info.signal}`;
    return info.exitCode === undefined ? "ended" : `ended with exit code ${info.exitCode}`;
  }
  if (info.kind === "eof") return "closed its stdout";
  return info.kind === "local" ? "was closed by us" : "lost its link";
}
