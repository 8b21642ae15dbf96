/**
 * What went wrong behind the gateway, as its clients are told: a JSON-RPC error, or a result that a model can act on. An
 * error about the hop to a server is never told as one about the client's own (protocol.md 2.6, 8).
 */
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import { isDeeper, isObject, parseJson } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { isNotFound } from "../client/resources.ts";
import { internalError, invalidParams, invalidRequest, RpcError } from "../protocol/jsonrpc.ts";
import {
  headerMismatch,
  missingCapability,
  unsupportedVersion,
  urlElicitationRequired,
} from "../protocol/meta.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import { undeclaredIn } from "./gateway-capabilities.ts";
import type { Downstream } from "./gateway-types.ts";
import { errorBody, withoutPaths } from "./http-error.ts";
import { depthMax } from "./read-json.ts";

/** Anything that was thrown, as the error that a client gets. */
export function toRpcError(
  error: unknown,
  { knows, capabilities }: Pick<Downstream, "knows" | "capabilities">,
  method = "",
): RpcError {
  if (error instanceof RpcError) return error;
  if (!isHostError(error)) return new RpcError({ code: internalError, message: "internal error" });
  const { cause } = error;
  if (method === "resources/read" && (isNotFound(cause) || isUnknown(error)))
    return notFound(error, knows);
  if (cause instanceof RpcError && lacks(cause, capabilities)) return cause;
  if (knows.era === "modern" && error.facts["inputRequests"] !== undefined) {
    const undeclared = undeclaredIn(error.facts["inputRequests"] as Json, capabilities);
    if (undeclared !== undefined) return undeclared;
  }
  if (error.code === "rpc_error" && cause instanceof RpcError && !isOfTheHop(cause.code, knows))
    return new RpcError({ code: cause.code, message: cause.message, data: cause.data });
  const isAsked = error.code === "usage" || isUnknown(error);
  const { message, ...data } = errorBody(error);
  return new RpcError({
    code: isAsked ? invalidParams : internalError,
    message,
    data: data as { [key: string]: Json },
  });
}

/** What a client is told of an error: without secrets, and without data that are nested too deeply to be passed on. */
export function shownError(
  { code, message, data }: RpcError,
  redact: (text: string) => string,
): RpcError {
  const told = redact(message);
  if (data === undefined || isDeeper(data, depthMax)) return new RpcError({ code, message: told });
  try {
    return new RpcError({ code, message: told, data: parseJson(redact(JSON.stringify(data))) });
  } catch {
    // What is hidden may have been a part of its syntax.
    return new RpcError({ code, message: told });
  }
}

/**
 * The text for a model that can mend the call, or must be told why it may not be made: arguments that do not fit, a rule
 * that forbids it. Undefined for every other error.
 */
export function textForModel(error: HostError): string | undefined {
  const { code, facts, message, hint } = error;
  const isMisfit = code === "usage" && facts.problems !== undefined;
  const isForbidden = code === "denied" && facts.rule !== undefined;
  if (!isMisfit && !isForbidden) return undefined;
  return withoutPaths(hint === undefined || isForbidden ? message : `${message}\n${hint}`);
}

/** What is no message that may come so: -32600. */
export function badMessage(message: string): RpcError {
  return new RpcError({ code: invalidRequest, message });
}

/** @throws RpcError -32602 */
export function badParams(message: string): never {
  throw new RpcError({ code: invalidParams, message });
}

// --- internal ---

const resourceNotFound = -32002;

/** What the host itself does not know, or does not offer: to a client both are the same. */
function isUnknown({ code, facts }: HostError): boolean {
  return (code === "usage" || code === "denied") && facts.rule === undefined;
}

function isOfTheHop(code: number, { era, icons }: Knowledge): boolean {
  if (code === urlElicitationRequired) return era === "modern" || !icons;
  return code === headerMismatch || code === missingCapability || code === unsupportedVersion;
}

/** A server needs what the client itself does not declare: that is as true of the client's hop as of ours. */
function lacks({ code, data }: RpcError, declared: JsonObject | undefined): boolean {
  const required = isObject(data) ? data.requiredCapabilities : undefined;
  if (code !== missingCapability || declared === undefined || !isObject(required)) return false;
  return Object.keys(required).some((name) => declared[name] === undefined);
}

/** The code changed with the modern era (protocol.md 1.18). */
function notFound(error: HostError, { era }: Knowledge): RpcError {
  const { cause } = error;
  const code = era === "modern" ? invalidParams : resourceNotFound;
  const message = cause instanceof RpcError ? cause.message : error.message;
  const own = cause instanceof RpcError ? (cause.data ?? {}) : {};
  const uri = typeof error.facts.uri === "string" ? error.facts.uri : undefined;
  const data = isObject(own) ? { ...(uri !== undefined && { uri }), ...own } : own;
  return new RpcError({ code, message, data });
}
