/** How far a request is, as a server tells it (protocol.md 1.15). Pure. */
import { isObject, keepDigits, withDigits } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Progress } from "./mcp.ts";

/** Nothing that is not progress; undefined where it has no number. It keeps its digits (`withDigits`) as the params do. */
export function readProgress(params: JsonObject): Progress | undefined {
  const { progress, total, message } = params;
  if (typeof progress !== "number") return undefined;
  const read: Progress = { progress };
  if (typeof total === "number") read.total = total;
  if (typeof message === "string") read.message = message;
  if (isObject(params._meta)) read._meta = params._meta;
  const whole = withDigits(params);
  if (whole !== params) {
    const { progress: exact, total: all, _meta } = whole;
    const exactly = { ...read, progress: exact };
    if (read.total !== undefined) Object.assign(exactly, { total: all });
    if (read._meta !== undefined) Object.assign(exactly, { _meta });
    keepDigits(read, exactly);
  }
  return read;
}
