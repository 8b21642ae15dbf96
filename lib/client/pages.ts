/**
 * Walks the pages of a list (protocol.md 1.12): only a missing or null `nextCursor` ends it, the empty string is a cursor,
 * although some servers mean the end by it: they refuse it, or give the first page again, and then that was the end.
 * Cursors are opaque and go back as they came, numbers too. A list that does not end, or whose later page fails, is cut: that is said, and
 * what was got is kept.
 */
import { isHostError } from "../base/errors.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { invalidParams, RpcError } from "../protocol/jsonrpc.ts";

export interface Page<Item> {
  items: Item[];
  /** As the server gave it. */
  nextCursor: Json | undefined;
}

export interface PageOptions<Item> {
  /** Fetches one page: `{}` first, then `{ cursor }`. */
  fetch: (params: JsonObject) => Promise<Page<Item>>;
  /** Called when the walk begins again: nothing that was fetched counts any more. */
  restart: () => void;
  pagesMax: number;
  itemsMax: number;
}

export interface Pages<Item> {
  items: Item[];
  /** Why some may be missing, in words for a person. */
  warning?: string;
  /** Why others are missing: what a page behind the first failed with. Who shows the list must tell: half of it looks whole. */
  failure?: Error;
}

/**
 * All items of all pages, in order. A cursor that the server does not know any more makes it begin again, once
 * (protocol.md 1.11). @throws what the first page fails with; of a later one, where the list was given up
 */
export async function allPages<Item>(options: PageOptions<Item>): Promise<Pages<Item>> {
  const pages = await walk(options);
  const { failure } = pages;
  if (!(failure instanceof RpcError) || failure.code !== invalidParams) return pages;
  options.restart();
  return await walk(options);
}

/** Whatever it was (an error of the server, silence, the end of its link), somebody still wants what came before it. */
export function isOfPage(error: unknown): error is Error {
  return error instanceof RpcError || (isHostError(error) && error.code !== "cancelled");
}

/** Nothing new came for the empty cursor: it meant the end. */
export function isRepetition({ cursor }: JsonObject, items: readonly unknown[]): boolean {
  return cursor === "" && items.length === 0;
}

// --- internal ---

async function walk<Item>({ fetch, pagesMax, itemsMax }: PageOptions<Item>): Promise<Pages<Item>> {
  const items: Item[] = [];
  const seen = new Set<string | number>();
  for (let params: JsonObject = {}; ;) {
    let page: Page<Item>;
    try {
      page = await fetch(params);
    } catch (error) {
      if (seen.size === 0 || !isOfPage(error)) throw error;
      if (params.cursor === "" && error instanceof RpcError) return { items };
      return { items, failure: error };
    }
    const room = itemsMax - items.length;
    for (const item of page.items.slice(0, room)) items.push(item);
    if (page.items.length > room) return cut(items, `it has more than ${itemsMax} entries`);
    const cursor = page.nextCursor;
    if (cursor === undefined || cursor === null) return { items };
    if (cursor === "" && isRepetition(params, page.items)) return { items };
    if (typeof cursor !== "string" && typeof cursor !== "number")
      return cut(items, "the server gave a cursor that is no string");
    if (seen.has(cursor)) return cut(items, "the server gave the same cursor twice");
    seen.add(cursor);
    if (seen.size >= pagesMax) return cut(items, `it has more than ${pagesMax} pages`);
    params = { cursor };
  }
}

function cut<Item>(items: Item[], reason: string): { items: Item[]; warning: string } {
  return { items, warning: `the list was cut after ${items.length} entries: ${reason}` };
}
