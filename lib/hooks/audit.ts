/**
 * What plugins leave of an event before it is written down: each sees what the one before left. One that is at fault costs
 * the event its particulars: what it was to take out is not kept.
 */
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { AuditEvent } from "../store/types.ts";
import { frozenCopy, plainJson, thrownText } from "./frozen.ts";
import type { Hooked } from "./run-hook.ts";

/** Never throws. */
export function audited(
  hooks: readonly Hooked<"audit">[],
  event: AuditEvent,
  log: Log,
): AuditEvent {
  let left = event;
  for (const { plugin, run } of hooks) {
    try {
      const view = Object.freeze({ ...left, detail: frozenCopy(left.detail ?? {}) });
      const answer: unknown = run(view);
      if (answer === undefined || answer === null) continue;
      left = { ...left, detail: detailIn(answer) };
    } catch (error) {
      const text = `plugin ${JSON.stringify(plugin)}: audit: ${thrownText(error)}; the particulars of the event are left out`;
      log({ level: "warn", text });
      left = { ...left, detail: { left_out: `by plugin ${plugin}` } };
    }
  }
  return left;
}

// --- internal ---

function detailIn(answer: unknown): JsonObject {
  const { detail, ...rest } = answer as { detail?: unknown };
  const isRead = typeof detail === "object" && detail !== null && !Array.isArray(detail);
  if (typeof answer === "object" && isRead && Object.keys(rest).length === 0)
    return plainJson(detail).value as JsonObject;
  throw new TypeError("it returned neither nothing nor { detail }, at once");
}
