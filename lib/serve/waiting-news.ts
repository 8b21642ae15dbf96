/**
 * What whoever waits for a call is told while the call waits for approval: at once, and again so often that no client's time
 * runs out meanwhile. It decides nothing, and ends nothing.
 */
import type { JsonObject } from "../base/json.ts";
import type { Call } from "../hooks/call.ts";
import { approveText, waitingText } from "../host/approval-words.ts";
import type { Progress } from "../protocol/mcp.ts";

export interface WaitingListener {
  /** Told every time. @default not told */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Params of one `notifications/message`. @default not told */
  onLog?: ((params: JsonObject) => void) | undefined;
  /** @default 15000 */
  everyMs?: number;
}

/** Tells that a call waits, until it is disposed. */
export function tellWaiting(
  call: Pick<Call, "id" | "tool">,
  { onProgress, onLog, everyMs = everyDefaultMs }: WaitingListener,
): Disposable {
  onLog?.({ level: "warning", logger: "mcphost", data: waitingText(call) });
  if (onProgress === undefined) return { [Symbol.dispose]() {} };
  const message = approveText(call);
  let times = 0;
  // Progress may only grow, and that of a server begins at 0 or above: below it there is always room for one more.
  const tell = () => onProgress({ progress: -0.001 / ++times, message });
  tell();
  const timer = setInterval(tell, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

// --- internal ---

const everyDefaultMs = 15_000;
