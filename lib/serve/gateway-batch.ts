/** Batches of messages, which sessions of 2025-03-26 may send: what they hold, or why they are not taken. Pure. */
import type { Json } from "../base/json.ts";
import { isRequest, isResponse, RpcError } from "../protocol/jsonrpc.ts";
import type { Notification, Request, Response } from "../protocol/jsonrpc.ts";
import { readMessage } from "../protocol/read.ts";
import { eraOfMessage } from "./gateway-era.ts";
import { badMessage } from "./gateway-errors.ts";
import type { Scope } from "./gateway-types.ts";

export interface Batch {
  requests: Request[];
  notifications: Notification[];
  answers: Response[];
}

export function readBatch(values: readonly Json[], scope: Scope): Batch | RpcError {
  if (values.length === 0) return badMessage("an empty batch");
  if (values.length > batchMax) return badMessage(`a batch of more than ${batchMax} messages`);
  const batch: Batch = { requests: [], notifications: [], answers: [] };
  for (const value of values) {
    const { message } = readMessage(value);
    if (message === undefined) return badMessage("the batch holds what is no message");
    if (isResponse(message)) {
      batch.answers.push(message);
      continue;
    }
    if (eraOfMessage(message, scope).era !== "legacy") return notHere();
    if (!isRequest(message)) batch.notifications.push(message);
    else if (message.method === "initialize") return badMessage("initialize is never in a batch");
    else batch.requests.push(message);
  }
  return batch;
}

/** The refusal of a batch outside of its one revision. */
export function notHere(): RpcError {
  return badMessage("batches belong to sessions of 2025-03-26");
}

// --- internal ---

const batchMax = 100;
