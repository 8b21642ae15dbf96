/**
 * Which era a message of a client belongs to, by its body; headers, where there are any, must say the same. What may not be
 * served is told with the status and the error of protocol.md 2.2, in its order. Pure.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { eraOf } from "../protocol/codecs.ts";
import { decodeHeaderValue, nameIn } from "../protocol/headers.ts";
import { invalidParams, isRequest, RpcError } from "../protocol/jsonrpc.ts";
import type { Notification, Request } from "../protocol/jsonrpc.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import { headerMismatch, metaPrefix, unsupportedVersion } from "../protocol/meta.ts";
import { knowledgeOf } from "../protocol/revisions.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import { supportedVersions } from "./gateway-greet.ts";
import { logLevels } from "./gateway-logs.ts";

export type Verdict =
  | { era: "legacy" }
  | { era: "modern"; knows: Knowledge; logLevel: McpLogLevel | undefined; capabilities: JsonObject }
  | { era: "refused"; status: number; error: RpcError };

/** `headers`: absent where the link has none (stdio, WebSocket). */
export function eraOfMessage(
  message: Request | Notification,
  headers?: Pick<Headers, "get">,
): Verdict {
  const { method, params = {} } = message;
  const version = headers?.get("mcp-protocol-version") ?? undefined;
  const isModernHeader = version !== undefined && eraOf(version) === "modern";
  const claim = claimIn(params);
  if (method === "initialize" && !isValid(claim)) {
    if (!isModernHeader) return { era: "legacy" };
    return mismatch("initialize belongs to revisions before the one of MCP-Protocol-Version");
  }
  if (claim === undefined) {
    if (!isModernHeader) return { era: "legacy" };
    // A notification has no envelope of its own.
    if (!isRequest(message))
      return { era: "modern", knows: known(version), logLevel: undefined, capabilities: {} };
    return badEnvelope(`_meta lacks ${metaPrefix}protocolVersion`);
  }
  const fault = faultOf(claim, isRequest(message));
  if (fault !== undefined) return badEnvelope(fault);
  const claimed = String(claim.protocolVersion);
  if (version !== undefined && version !== claimed)
    return mismatch(`MCP-Protocol-Version says ${version}, and the body ${claimed}`);
  const named = headers?.get("mcp-method") ?? undefined;
  if (named !== undefined && decodeHeaderValue(named) !== method)
    return mismatch(`Mcp-Method says ${named}, and the body ${method}`);
  const knows = knowledgeOf(claimed);
  if (knows?.era !== "modern") return unsupported(claimed);
  const missing =
    headers !== undefined && isRequest(message) ? missingIn(message, headers) : undefined;
  if (missing !== undefined) return mismatch(missing);
  const { logLevel, clientCapabilities } = claim as {
    logLevel?: McpLogLevel;
    clientCapabilities?: JsonObject;
  };
  return { era: "modern", knows, logLevel, capabilities: clientCapabilities ?? {} };
}

/** The refusal of a revision that we do not serve. */
export function unsupported(requested: string): Verdict & { era: "refused" } {
  const data = { supported: [...supportedVersions], requested };
  const message = `Unsupported protocol version: ${requested.slice(0, 100)}`;
  return refused(new RpcError({ code: unsupportedVersion, message, data }));
}

// --- internal ---

interface Claim {
  protocolVersion: Json | undefined;
  clientCapabilities: Json | undefined;
  logLevel: Json | undefined;
}

/** What a message says of itself; undefined where it does not speak as modern ones do. */
function claimIn({ _meta: meta }: JsonObject): Claim | undefined {
  if (!isObject(meta) || !Object.hasOwn(meta, `${metaPrefix}protocolVersion`)) return undefined;
  return {
    protocolVersion: meta[`${metaPrefix}protocolVersion`],
    clientCapabilities: meta[`${metaPrefix}clientCapabilities`],
    logLevel: meta[`${metaPrefix}logLevel`],
  };
}

function isValid(claim: Claim | undefined): boolean {
  if (claim === undefined || faultOf(claim, true) !== undefined) return false;
  return eraOf(String(claim.protocolVersion)) === "modern";
}

function faultOf(claim: Claim, isAsking: boolean): string | undefined {
  const { protocolVersion, clientCapabilities, logLevel } = claim;
  if (typeof protocolVersion !== "string") return `${metaPrefix}protocolVersion is not a string`;
  if (!isAsking) return undefined;
  if (!isObject(clientCapabilities)) return `_meta lacks ${metaPrefix}clientCapabilities`;
  if (logLevel !== undefined && !logLevels.includes(logLevel as McpLogLevel))
    return `${metaPrefix}logLevel is none of ${logLevels.join(", ")}`;
  return undefined;
}

/** What of the headers that every modern request has to carry is missing or wrong. */
function missingIn(
  { method, params = {} }: Request,
  headers: Pick<Headers, "get">,
): string | undefined {
  if (headers.get("mcp-protocol-version") === null) return "MCP-Protocol-Version is missing";
  if (headers.get("mcp-method") === null) return "Mcp-Method is missing";
  const name = nameIn(method, params);
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
