/** How deep a value is nested, found without recursion: `JSON.stringify` takes seconds to find out that it cannot. Pure. */
import type { Json } from "./json.ts";

/** True for a value of more than `depthMax` levels of arrays and objects. Goes level by level. */
export function isDeeper(value: Json, depthMax: number): boolean {
  let level: object[] = isNode(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === depthMax) return true;
    const next: object[] = [];
    for (const node of level)
      for (const child of Object.values(node)) if (isNode(child)) next.push(child);
    level = next;
  }
  return false;
}

// --- internal ---

function isNode(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
