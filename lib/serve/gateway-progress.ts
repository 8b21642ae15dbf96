/** What a client is told of its call while that runs, on the stream of its request. */
import { isObject, withDigits } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { isRequestId } from "../protocol/jsonrpc.ts";
import type { RequestId } from "../protocol/jsonrpc.ts";
import { logLevels } from "../protocol/log-level.ts";
import type { Progress } from "../protocol/mcp.ts";
import { isWanted } from "./gateway-logs.ts";
import { onwardMeta } from "./gateway-meta.ts";
import type { Question } from "./gateway-types.ts";

/** Tells a client of progress that grows, under its own token, where it gave one; undefined where it did not. */
export function progressOf(question: Question): ((progress: Progress) => void) | undefined {
  const { params } = question;
  const token = isObject(params._meta) ? params._meta.progressToken : undefined;
  return isRequestId(token) ? progressUnder(token, question) : undefined;
}

/** Tells a client of a warning of ours on the stream of its request, where it wants any. */
export function logTo(question: Question): ((params: JsonObject) => void) | undefined {
  if (!isWanted(question.from, logLevels.indexOf("warning"))) return undefined;
  return (params) => question.notify("notifications/message", params);
}

// --- internal ---

function progressUnder(token: RequestId, question: Question): (progress: Progress) => void {
  const { annotations } = question.from.knows;
  let last = Number.NEGATIVE_INFINITY;
  return (progress) => {
    // It must grow, and strict clients may end a call for less.
    if (progress.progress <= last) return;
    last = progress.progress;
    const { message, _meta, ...more } = withDigits(progress);
    const meta = _meta && onwardMeta({ _meta });
    question.notify("notifications/progress", {
      progressToken: token,
      ...more,
      ...(message !== undefined && annotations && { message }),
      ...(meta && { _meta: meta }),
    });
  };
}
