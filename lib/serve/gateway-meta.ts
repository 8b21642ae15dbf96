/** What of a `_meta` is for whoever is behind us, and what speaks of one hop alone (protocol.md 2.6, 4). Pure. */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { metaPrefix } from "../protocol/meta.ts";

/** The `_meta` to send on; undefined where nothing is left of it. */
export function onwardMeta({ _meta: meta }: JsonObject): JsonObject | undefined {
  if (!isObject(meta)) return undefined;
  // Most have nothing else.
  for (const key in meta) if (!ofTheHop.has(key)) return onward(meta);
  return undefined;
}

// --- internal ---

function onward(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !ofTheHop.has(key)));
}

const ofTheHop: ReadonlySet<string> = new Set([
  "progressToken",
  ...["protocolVersion", "clientCapabilities", "clientInfo", "logLevel", "subscriptionId"].map(
    (name) => metaPrefix + name,
  ),
  // Tasks have other ids on each hop.
  `${metaPrefix}related-task`,
]);
