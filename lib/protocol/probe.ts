/**
 * The era verdict: every way in which the probe (`server/discover`) can end on a pipe or over HTTP, and what follows from
 * it (protocol.md 1.4). Pure: it reads no clock and sends nothing; counting the retries is the caller's.
 */
import { isObject } from "../base/json.ts";
import type { Json } from "../base/json.ts";
import type { ErrorObject } from "./jsonrpc.ts";
import { headerMismatch, missingCapability, unsupportedVersion } from "./meta.ts";
import { modernRevisions, readDiscover } from "./modern.ts";
import type { Discovered } from "./modern.ts";

/**
 * `pipe`: messages in both directions over one connection (stdio, WebSocket). `http`: each request is an exchange of its
 * own, which may be refused by a status, and whose failure says nothing about the others.
 */
export type LinkKind = "pipe" | "http";

/** How the probe ended. */
export type ProbeOutcome =
  | { kind: "result"; result: Json }
  /** A JSON-RPC error, whatever its code, with our id or with none. */
  | { kind: "error"; error: ErrorObject }
  /** An answer that is none: neither result nor error, or too large to take. */
  | { kind: "malformed" }
  /** Nothing within the probe's time. */
  | { kind: "silent" }
  /** HTTP: refused by a status alone, or by what is no message. */
  | { kind: "refused"; httpStatus: number }
  /** The link or the process ended before it answered, or (HTTP) there was none. */
  | { kind: "closed" };

/**
 * What follows.
 * - `modern`: go on with `revision`; no handshake is needed.
 * - `retry`: modern; ask once more, with `revision`. A second `retry` in a row means unsupported.
 * - `legacy`: send `initialize`; with `restart`, to a new process, without a probe.
 * - `unsupported`: modern, but of no revision that we speak; never send `initialize`.
 * - `unknown`: it proves nothing about the era, and is to be reported.
 */
export type ProbeVerdict =
  | { kind: "modern"; revision: string; discovered: Discovered }
  | { kind: "retry"; revision: string }
  | { kind: "legacy"; reason: string; restart: boolean }
  | { kind: "unsupported"; supported: string[] }
  | { kind: "unknown" };

/** Judges one outcome. No single error code decides for legacy: everything that is not modern is. */
export function classifyProbe(outcome: ProbeOutcome, link: LinkKind = "pipe"): ProbeVerdict {
  switch (outcome.kind) {
    case "result":
      return classifyResult(outcome.result);
    case "error":
      return classifyError(outcome.error, link);
    case "malformed":
      return legacy("its answer to server/discover is none");
    case "refused":
      return isRefusal(outcome.httpStatus)
        ? legacy(`it answered server/discover with HTTP ${outcome.httpStatus}`)
        : { kind: "unknown" };
    case "silent":
      // A process is ours and was started for this; of what is far away silence says nothing.
      if (link === "http") return { kind: "unknown" };
      return legacy("it did not answer server/discover in time");
    case "closed":
      if (link === "http") return { kind: "unknown" };
      return { kind: "legacy", reason: "it ended on server/discover", restart: true };
  }
}

/**
 * Whether an HTTP status says that the server does not know what it was asked. Statuses that are about the caller (401,
 * 403, 407), the moment (408, 425, 429) or the server's state (5xx) say nothing.
 */
export function isRefusal(httpStatus: number): boolean {
  return httpStatus >= 400 && httpStatus < 500 && !isElsewise(httpStatus);
}

// --- internal ---

function isElsewise(status: number): boolean {
  switch (status) {
    case 401:
    case 403:
    case 407:
    case 408:
    case 425:
    case 429:
      return true;
    default:
      return false;
  }
}

function classifyResult(result: Json): ProbeVerdict {
  const discovered = readDiscover(result);
  if (discovered === undefined) return legacy("its answer to server/discover is malformed");
  const { supportedVersions: supported } = discovered;
  const revision = modernRevisions.find((ours) => supported.includes(ours));
  if (revision === undefined && supported.length > 0 && supported.every(isModernLooking))
    return { kind: "unsupported", supported };
  // Its list has legacy revisions, or none: initialize then tells.
  if (revision === undefined) return legacy("it lists no modern revision that we speak");
  return { kind: "modern", revision, discovered };
}

function classifyError(error: ErrorObject, link: LinkKind): ProbeVerdict {
  // Only the modern era has these: nothing is wrong with the revision.
  const isModern = error.code === headerMismatch || error.code === missingCapability;
  if (link === "http" && isModern) return { kind: "retry", revision: modernRevisions[0] ?? "" };
  const refusal = legacy(`it answered server/discover with error ${error.code}`);
  if (error.code !== unsupportedVersion || !isObject(error.data)) return refusal;
  const { supported } = error.data;
  if (!Array.isArray(supported)) return refusal;
  const listed = supported.filter((version) => typeof version === "string");
  if (listed.length !== supported.length) return refusal;
  const revision = modernRevisions.find((ours) => listed.includes(ours));
  if (revision !== undefined) return { kind: "retry", revision };
  const modern = listed.filter(isModernLooking);
  return modern.length > 0 ? { kind: "unsupported", supported: listed } : refusal;
}

function legacy(reason: string): ProbeVerdict {
  return { kind: "legacy", reason, restart: false };
}

/** Revisions are dates; modern ones begin with 2026-07-28. */
function isModernLooking(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= "2026-07-28";
}
