/** Batches of messages, which sessions of 2025-03-26 may send: what they hold, or why they are not taken. Pure. */
import type { Json } from "../base/json.ts";
import { isRequest, isResponse, RpcError } from "../protocol/jsonrpc.ts";
import type { Notification, Request, Response } from "../protocol/jsonrpc.ts";
import { readMessage } from "../protocol/read.ts";
import { eraOfMessage } from "./gateway-era.ts";

export interface Batch {
  requests: Request[];
  notifications: Notification[];
  answers: Response[];
}

export function readBatch(values: readonly Json[]): Batch | RpcError {
  if (values.length === 0) return invalid("an empty batch");
  if (values.length > batchMax) return invalid(`a batch of more than ${batchMax} messages`);
  const batch: Batch = { requests: [], notifications: [], answers: [] };
  for (const value of values) {
    const { message } = readMessage(value);
    if (message === undefined) return invalid("the batch holds what is no message");
    if (isResponse(message)) {
      batch.answers.push(message);
      continue;
    }
    if (eraOfMessage(message).era !== "legacy") return notHere();
    if (!isRequest(message)) batch.notifications.push(message);
    else if (message.method === "initialize") return invalid("initialize is never in a batch");
    else batch.requests.push(message);
  }
  return batch;
}

/** The refusal of a batch outside of its one revision. */
export function notHere(): RpcError {
  return invalid("batches belong to sessions of 2025-03-26");
}

// --- internal ---

const batchMax = 100;

function invalid(message: string): RpcError {
  return new RpcError({ code: -32600, message });
}
