/**
 * Pages of lists, and the cursors between them: sealed, so that only ours are taken, and only for the list as it was. A
 * client whose list changed between two pages begins again (protocol.md 1.12).
 */
import { badParams } from "./gateway-errors.ts";

export interface PageRequest {
  /** Which list, and whose. */
  key: string;
  /** As the client sent it. */
  cursor: unknown;
}

export class Cursors {
  readonly #secret = crypto.getRandomValues(new Uint8Array(32));
  readonly #pageMax: number;

  constructor(pageMax: number) {
    this.#pageMax = pageMax;
  }

  /** One page of a list, by the names of its entries. @throws RpcError -32602 for a cursor that is none of it */
  page<Item>(
    items: readonly Item[],
    nameOf: (item: Item) => string,
    { key, cursor }: PageRequest,
  ): { items: readonly Item[]; nextCursor?: string } {
    if (cursor === undefined && items.length <= this.#pageMax) return { items };
    const state = Bun.hash(JSON.stringify(items.map(nameOf))).toString(36);
    const from = cursor === undefined ? 0 : this.#open(cursor, key, state);
    const to = from + this.#pageMax;
    const page = items.slice(from, to);
    return to < items.length
      ? { items: page, nextCursor: this.#seal(to, key, state) }
      : { items: page };
  }

  // --- internal ---

  #seal(at: number, key: string, state: string): string {
    const hasher = new Bun.CryptoHasher("sha256", this.#secret);
    const mac = hasher.update(JSON.stringify([at, key, state])).digest("hex");
    return `${at}.${mac.slice(0, 32)}`;
  }

  #open(cursor: unknown, key: string, state: string): number {
    const at = typeof cursor === "string" ? Number(/^(\d{1,9})\./.exec(cursor)?.[1]) : Number.NaN;
    if (Number.isNaN(at) || this.#seal(at, key, state) !== cursor)
      badParams("the cursor is not one of this list as it is now: begin again without one");
    return at;
  }
}
