/**
 * The era verdict on stdio: every way in which the probe (`server/discover`) can end, and what follows from it
 * (protocol.md 1.4). Pure: it reads no clock and sends nothing; counting the retries is the caller's.
 */
import { isObject } from "../base/json.ts";
import type { Json } from "../base/json.ts";
import type { ErrorObject } from "./jsonrpc.ts";
import { unsupportedVersion } from "./meta.ts";
import { modernRevisions, readDiscover } from "./modern.ts";
import type { Discovered } from "./modern.ts";

/** How the probe ended. */
export type ProbeOutcome =
  | { kind: "result"; result: Json }
  /** A JSON-RPC error, whatever its code, with our id or with none. */
  | { kind: "error"; error: ErrorObject }
  /** An answer that is none: neither result nor error, or too large to take. */
  | { kind: "malformed" }
  /** Nothing within the probe's time. */
  | { kind: "silent" }
  /** The link or the process ended before it answered. */
  | { kind: "closed" };

/**
 * What follows.
 * - `modern`: go on with `revision`; no handshake is needed.
 * - `retry`: modern; ask once more, with `revision`. A second `retry` in a row means unsupported.
 * - `legacy`: send `initialize`; with `restart`, to a new process, without a probe.
 * - `unsupported`: modern, but of no revision that we speak; never send `initialize`.
 */
export type ProbeVerdict =
  | { kind: "modern"; revision: string; discovered: Discovered }
  | { kind: "retry"; revision: string }
  | { kind: "legacy"; reason: string; restart: boolean }
  | { kind: "unsupported"; supported: string[] };

/** Judges one outcome. No single error code decides for legacy: everything that is not modern is. */
export function classifyProbe(outcome: ProbeOutcome): ProbeVerdict {
  switch (outcome.kind) {
    case "result":
      return classifyResult(outcome.result);
    case "error":
      return classifyError(outcome.error);
    case "malformed":
      return legacy("its answer to server/discover is none");
    case "silent":
      return legacy("it did not answer server/discover in time");
    case "closed":
      return { kind: "legacy", reason: "it ended on server/discover", restart: true };
  }
}

// --- internal ---

function classifyResult(result: Json): ProbeVerdict {
  const discovered = readDiscover(result);
  if (discovered === undefined) return legacy("its answer to server/discover is malformed");
  const revision = modernRevisions.find((ours) => discovered.supportedVersions.includes(ours));
  // Its list may be of legacy revisions only, or of newer ones: initialize then tells.
  if (revision === undefined) return legacy("it lists no modern revision that we speak");
  return { kind: "modern", revision, discovered };
}

function classifyError(error: ErrorObject): ProbeVerdict {
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
