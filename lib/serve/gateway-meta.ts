/** What of the `_meta` of a client's request is for the server, and what speaks of one hop alone (protocol.md 2.6, 4). Pure. */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { metaPrefix } from "../protocol/meta.ts";

/** The `_meta` to send on; undefined where nothing is left of it. */
export function onwardMeta({ _meta: meta }: JsonObject): JsonObject | undefined {
  if (!isObject(meta)) return undefined;
  const kept = Object.entries(meta).filter(([key]) => !ofTheHop.has(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

// --- internal ---

const ofTheHop: ReadonlySet<string> = new Set([
  "progressToken",
  ...["protocolVersion", "clientCapabilities", "clientInfo", "logLevel", "subscriptionId"].map(
    (name) => metaPrefix + name,
  ),
]);
