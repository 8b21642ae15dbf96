/**
 * Walks the pages of a list (protocol.md 1.12): only a missing or null `nextCursor` ends it, the empty string is a cursor.
 * Cursors are opaque and go back as they came. A list without end is cut, that is said, and what was got is kept.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { invalidParams, RpcError } from "../protocol/jsonrpc.ts";

export interface Page<Item> {
  items: Item[];
  /** As the server gave it. */
  nextCursor: Json | undefined;
}

export interface PageOptions<Item> {
  /** Fetches one page: `{}` first, then `{ cursor }`. What it throws ends the walk: half a list would look whole. */
  fetch: (params: JsonObject) => Promise<Page<Item>>;
  /** Called when the walk begins again: nothing that was fetched counts any more. */
  restart: () => void;
  pagesMax: number;
  itemsMax: number;
}

/**
 * All items of all pages, in order; `warning`: why some may be missing, in words for a person. A cursor that the server
 * does not know any more makes it begin again, once (protocol.md 1.11).
 */
export async function allPages<Item>(
  options: PageOptions<Item>,
): Promise<{ items: Item[]; warning?: string }> {
  let atCursor = false;
  const fetch = (params: JsonObject) => {
    atCursor = Object.hasOwn(params, "cursor");
    return options.fetch(params);
  };
  try {
    return await walk({ ...options, fetch });
  } catch (error) {
    if (!atCursor || !(error instanceof RpcError) || error.code !== invalidParams) throw error;
    options.restart();
    return await walk(options);
  }
}

// --- internal ---

async function walk<Item>({
  fetch,
  pagesMax,
  itemsMax,
}: PageOptions<Item>): Promise<{ items: Item[]; warning?: string }> {
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

function cut<Item>(items: Item[], reason: string): { items: Item[]; warning: string } {
  return { items, warning: `the list was cut after ${items.length} entries: ${reason}` };
}
