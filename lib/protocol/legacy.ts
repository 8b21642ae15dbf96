/**
 * The legacy era, 2024-10-07 to 2025-11-25: its codec and its handshake as data (protocol.md 1.2,
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle). Pure.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Codec, Decoded, Envelope } from "./codec.ts";
import type { Capabilities, Implementation } from "./mcp.ts";
import { overMeta, readImplementation } from "./meta.ts";
import { modernRevisions } from "./modern.ts";

/** The legacy revisions that we speak, newest first. */
export const legacyRevisions: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  // A pre-release string that some servers still answer with.
  "2024-10-07",
];

/** The codec of a legacy revision. `resultType` has no meaning here: every result that is an object is complete. */
export function legacyCodec(revision: string): Codec {
  return {
    era: "legacy",
    revision,
    params: (params, envelope) =>
      envelope.progressToken === undefined
        ? { ...params }
        : { ...params, _meta: meta(params._meta, envelope) },
    meta,
    isComplete: (_method, result) => isObject(result),
    decode: (method, result) => decodeObject(method, result),
    serverRequests: true,
    ping: true,
    setLevel: true,
  };
}

/** The params of `initialize`. */
export function initializeParams(
  revision: string,
  clientInfo: Implementation,
  capabilities: Capabilities,
): JsonObject {
  return { protocolVersion: revision, capabilities, clientInfo };
}

/** What a server said to `initialize`. */
export interface Initialized {
  revision: string;
  capabilities: Capabilities;
  serverInfo: Implementation | undefined;
  instructions: string | undefined;
}

/**
 * Reads the result of `initialize`. An older revision that we know is taken. A modern one means nothing here (servers
 * echo whatever they are asked for): it counts as our newest legacy revision, and no server becomes modern by it.
 * A missing version counts as the asked one. `invalid` says why there is no way to go on, with the unknown `version`.
 */
export function readInitialize(
  result: Json,
  asked: string,
): Initialized | { invalid: string; version?: string } {
  if (!isObject(result)) return { invalid: "its answer to initialize is not an object" };
  const version = result.protocolVersion ?? asked;
  if (typeof version !== "string") return { invalid: "its protocolVersion is not a string" };
  const revision = modernRevisions.includes(version) ? (legacyRevisions[0] ?? asked) : version;
  if (!legacyRevisions.includes(revision))
    return { invalid: `it speaks protocol version ${JSON.stringify(version)}`, version };
  return {
    revision,
    capabilities: isObject(result.capabilities) ? result.capabilities : {},
    serverInfo: readImplementation(result.serverInfo),
    instructions: typeof result.instructions === "string" ? result.instructions : undefined,
  };
}

// --- internal ---

function meta(own: Json | undefined, { progressToken }: Envelope): JsonObject {
  return overMeta(own, { progressToken });
}

function decodeObject(method: string, result: Json): Decoded {
  return isObject(result)
    ? { kind: "complete", result }
    : { kind: "invalid", reason: `the result of ${method} is not an object` };
}
