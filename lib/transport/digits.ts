/** Messages are read with plain numbers. What these cannot hold is read again, for whoever gives it back or hands it on. Pure. */
import { isObject, keepDigits, wholeJson } from "../base/json.ts";
import type { Notification, Request, RequestId } from "../protocol/jsonrpc.ts";

/**
 * The same message, whose params keep their digits (`withDigits`). The id has them where anybody sees: an answer under
 * another is none.
 */
export function withWhole<M extends Request | Notification>(message: M, text: string): M {
  const whole = wholeJson(text);
  if (!isObject(whole)) return message;
  if (message.params !== undefined && whole.params !== undefined)
    keepDigits(message.params, whole.params);
  return "id" in message ? { ...message, id: whole.id as RequestId } : message;
}
