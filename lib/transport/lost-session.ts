/**
 * What a server says of a session that it does not know (any more), in all the ways that are met: by status, by code, in
 * words. Pure. Loaded when something is refused.
 */
import { isResponse } from "../protocol/jsonrpc.ts";
import type { Request, RequestId } from "../protocol/jsonrpc.ts";
import type { Incoming } from "./transport.ts";

/**
 * Whether a refusal of what carried a session id says that the session is gone, and so that nothing was done. 404 says so
 * by the specification, 410 by its meaning, and 400 is what some say instead, with a body about the session. What answers
 * the request under its own `id` is its answer, whatever the status, but for an error that means that it was not looked at.
 */
export function isSessionLost(
  status: number,
  text: string,
  items: readonly Incoming[],
  id?: RequestId,
): boolean {
  const isAnswer = (item: Incoming) => isAnswerTo(item, id) && !isUnseen(item);
  if (items.some(isAnswer)) return false;
  return status === 404 || status === 410 || (status === 400 && isAboutSession(text));
}

/**
 * An error that says the same as the answer to a request, as some send it, whatever the status: the next request begins
 * another session. Where it is about what was asked for, that must not speak of any session of its own.
 */
export function isOverBy(
  { code, message }: { code: number; message: string },
  { params = {} }: Pick<Request, "params">,
): boolean {
  if (!gone.test(message)) return false;
  return ownCodes.has(code) || (code === invalidParams && !/session/i.test(JSON.stringify(params)));
}

/**
 * Whether an answer that was one, an error under the request's own `id`, says that the session is gone as well: the next
 * request begins another one, where all would fail for ever otherwise. It is not sent again, since it may have been done.
 */
export function isSessionOver(status: number, text: string, items: readonly Incoming[]): boolean {
  const isUsual = status === 404 || (status === 400 && isAboutSession(text));
  if (!isUsual && !gone.test(text)) return false;
  const codes = items.map(errorCodeOf).filter((code) => code !== undefined);
  return codes.length === 0 || codes.some((code) => !aboutRequest.has(code));
}

// --- internal ---

const invalidParams = -32602;

/** Errors that stand before all work: "invalid request", and the SDKs' own for a session that is not known. */
const unseen = new Set([-32600, -32001]);

/** Those with which a server speaks of itself. */
const ownCodes = new Set([...unseen, -32000, -32002]);

/** A server that was started anew was not greeted. */
const notGreeted =
  /\b(?:server|session|client|connection)\b.{0,12}\bnot (?:been |yet )?initiali[sz]ed\b|\bbefore initiali[sz]ation\b/i;

const gone = new RegExp(
  String.raw`\bsession\b.{0,40}\b(?:not found|unknown|expired|invalid|terminated|does not exist)\b|\b(?:no|no such|invalid|unknown|expired|missing)\b.{0,20}\bsession\b|${notGreeted.source}`,
  "i",
);

function isAboutSession(text: string): boolean {
  return /session/i.test(text) || notGreeted.test(text);
}

function isUnseen(item: Incoming): boolean {
  if (!("message" in item) || !isResponse(item.message)) return false;
  const { code = 0, message = "" } = item.message.error ?? {};
  return unseen.has(code) || (ownCodes.has(code) && notGreeted.test(message));
}

/** Errors about what was asked for: a method, arguments, a resource. Some send them with 404, the session being well. */
const aboutRequest = new Set([-32601, -32602, -32002]);

/** Some give a number back as text. */
function isAnswerTo(item: Incoming, id: RequestId | undefined): boolean {
  if (!("message" in item) || !isResponse(item.message)) return false;
  return id !== undefined && String(item.message.id) === String(id);
}

function errorCodeOf(item: Incoming): number | undefined {
  return "message" in item && isResponse(item.message) ? item.message.error?.code : undefined;
}
