/**
 * Which era a message of a client belongs to, by its body; headers, where there are any, must say the same. What may not be
 * served is told with the status and the error of protocol.md 2.2, in its order. Pure.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { eraOf } from "../protocol/codecs.ts";
import { decodeHeaderValue, nameIn, undoubled } from "../protocol/headers.ts";
import { invalidParams, isRequest, RpcError } from "../protocol/jsonrpc.ts";
import type { Notification, Request } from "../protocol/jsonrpc.ts";
import { logLevels } from "../protocol/log-level.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import { headerMismatch, metaPrefix, unsupportedVersion } from "../protocol/meta.ts";
import { knowledgeOf } from "../protocol/revisions.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import { supportedVersions } from "./gateway-greet.ts";
import type { Downstream, Scope } from "./gateway-types.ts";

/** Whoever speaks as a modern client does so for one request. */
export type Verdict =
  | { era: "legacy" }
  | ({ era: "modern" } & Downstream)
  | { era: "refused"; status: number; error: RpcError };

/** `headers`: absent where the link has none (stdio, WebSocket). */
export function eraOfMessage(
  message: Request | Notification,
  scope: Scope,
  headers?: Pick<Headers, "get">,
): Verdict {
  const { method, params } = message;
  const meta = params?._meta;
  const version = headers && versionIn(headers);
  const claim = isObject(meta) && Object.hasOwn(meta, versionKey) ? meta : undefined;
  if (method === "initialize" && !isValid(claim)) {
    if (!isModern(version)) return legacy;
    return mismatch("initialize belongs to revisions before the one of MCP-Protocol-Version");
  }
  if (claim === undefined) {
    if (!isModern(version)) return legacy;
    // A notification has no envelope of its own.
    if (!isRequest(message)) return modern(scope, known(version), {});
    return badEnvelope(`_meta lacks ${versionKey}`);
  }
  const fault = faultOf(claim, isRequest(message));
  if (fault !== undefined) return badEnvelope(fault);
  const claimed = String(claim[versionKey]);
  if (version !== undefined && version !== claimed)
    return mismatch(`MCP-Protocol-Version says ${version}, and the body ${claimed}`);
  const named = headers?.get("mcp-method") ?? undefined;
  if (named !== undefined && decodeHeaderValue(named) !== method)
    return mismatch(`Mcp-Method says ${named}, and the body ${method}`);
  const knows = knowledgeOf(claimed);
  if (knows?.era !== "modern") return unsupported(claimed);
  if (headers !== undefined && isRequest(message)) {
    if (version === undefined) return mismatch("MCP-Protocol-Version is missing");
    if (named === undefined) return mismatch("Mcp-Method is missing");
    const missing = nameFault(message, headers);
    if (missing !== undefined) return mismatch(missing);
  }
  return modern(scope, knows, claim);
}

/** The revision that a header names. */
export function versionIn(headers: Pick<Headers, "get">): string | undefined {
  return undoubled(headers.get(versionHeader)) ?? undefined;
}

/** The refusal of a revision that we do not serve. */
export function unsupported(requested: string): Verdict & { era: "refused" } {
  const data = { supported: [...supportedVersions], requested };
  const message = `Unsupported protocol version: ${requested.slice(0, 100)}`;
  return refused(new RpcError({ code: unsupportedVersion, message, data }));
}

// --- internal ---

const versionHeader = "mcp-protocol-version";
const versionKey = `${metaPrefix}protocolVersion`;
const capabilitiesKey = `${metaPrefix}clientCapabilities`;
const logLevelKey = `${metaPrefix}logLevel`;

const legacy = { era: "legacy" } as const;

/** `claim`: what `_meta` of the message says of its client, free of faults. */
function modern(scope: Scope, knows: Knowledge, claim: JsonObject): Verdict {
  return {
    era: "modern",
    scope,
    knows,
    logLevel: claim[logLevelKey] as McpLogLevel | undefined,
    capabilities: (claim[capabilitiesKey] ?? {}) as JsonObject,
  };
}

function isModern(version: string | undefined): version is string {
  return version !== undefined && eraOf(version) === "modern";
}

function isValid(claim: JsonObject | undefined): boolean {
  if (claim === undefined || faultOf(claim, true) !== undefined) return false;
  return eraOf(String(claim[versionKey])) === "modern";
}

function faultOf(claim: JsonObject, isAsking: boolean): string | undefined {
  if (typeof claim[versionKey] !== "string") return `${versionKey} is not a string`;
  if (!isAsking) return undefined;
  if (!isObject(claim[capabilitiesKey])) return `_meta lacks ${capabilitiesKey}`;
  const level = claim[logLevelKey];
  if (level !== undefined && !logLevels.includes(level as McpLogLevel))
    return `${logLevelKey} is none of ${logLevels.join(", ")}`;
  return undefined;
}

/** Why `Mcp-Name` of a request does not repeat what it names. */
function nameFault({ method, params }: Request, headers: Pick<Headers, "get">): string | undefined {
  const name = params && nameIn(method, params);
  if (name === undefined) return undefined;
  const given = headers.get("mcp-name");
  if (given === null) return "Mcp-Name is missing";
  const decoded = decodeHeaderValue(given);
  if (decoded === undefined) return "Mcp-Name is not valid base64";
  return decoded === name ? undefined : "Mcp-Name and the body name different things";
}

/** Only asked for a revision that we speak. */
function known(revision: string): Knowledge {
  return knowledgeOf(revision) as Knowledge;
}

function mismatch(message: string): Verdict & { era: "refused" } {
  return refused(new RpcError({ code: headerMismatch, message }));
}

function badEnvelope(message: string): Verdict & { era: "refused" } {
  return refused(new RpcError({ code: invalidParams, message }));
}

function refused(error: RpcError): Verdict & { era: "refused" } {
  return { era: "refused", status: 400, error };
}
