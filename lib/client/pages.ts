/**
 * Walks the pages of a list (protocol.md 1.12): only a missing or null `nextCursor` ends it, the empty string is a cursor.
 * Cursors are opaque and go back as they came. A list without end is cut, that is said, and what was got is kept.
 */
import type { Json, JsonObject } from "../base/json.ts";

export interface Page<Item> {
  items: Item[];
  /** As the server gave it. */
  nextCursor: Json | undefined;
}

export interface PageOptions<Item> {
  /** Fetches one page: `{}` first, then `{ cursor }`. What it throws ends the walk: half a list would look whole. */
  fetch: (params: JsonObject) => Promise<Page<Item>>;
  pagesMax: number;
  itemsMax: number;
}

/** All items of all pages, in order; `warning`: why some may be missing, in words for a person. */
export async function allPages<Item>(
  options: PageOptions<Item>,
): Promise<{ items: Item[]; warning?: string }> {
  const { fetch, pagesMax, itemsMax } = options;
  const items: Item[] = [];
  const seen = new Set<string>();
  for (let params: JsonObject = {}; ;) {
    const page = await fetch(params);
    const room = itemsMax - items.length;
    for (const item of page.items.slice(0, room)) items.push(item);
    if (page.items.length > room) return cut(items, `it has more than ${itemsMax} entries`);
    const cursor = page.nextCursor;
    if (cursor === undefined || cursor === null) return { items };
    if (typeof cursor !== "string") return cut(items, "the server gave a cursor that is no string");
    if (seen.has(cursor)) return cut(items, "the server gave the same cursor twice");
    seen.add(cursor);
    if (seen.size >= pagesMax) return cut(items, `it has more than ${pagesMax} pages`);
    params = { cursor };
  }
}

// --- internal ---

function cut<Item>(items: Item[], reason: string): { items: Item[]; warning: string } {
  return { items, warning: `the list was cut after ${items.length} entries: ${reason}` };
}
