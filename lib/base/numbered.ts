/** A chain whose members are found by their numbers, whole ones from 0 on: for what a Map would do, and for the reason of `Chain`. */
import { Chain } from "./chain.ts";
import type { Linked } from "./chain.ts";

/** As `Linked`; its `id` stays what it is for as long as it is in a chain. */
export interface Numbered<T> extends Linked<T> {
  readonly id: number;
  /** The next one of its bucket. */
  next?: T | undefined;
}

export class NumberedChain<T extends Numbered<T>> extends Chain<T> {
  /** As many as a power of two. */
  #buckets: (T | undefined)[] = emptyBuckets(16);

  find(id: number): T | undefined {
    let one = this.#buckets[this.#bucketOf(id)];
    while (one !== undefined && one.id !== id) one = one.next;
    return one;
  }

  override add(one: T): void {
    super.add(one);
    if (this.size > this.#buckets.length) this.#grow();
    else this.#put(one);
  }

  override delete(one: T): void {
    super.delete(one);
    const at = this.#bucketOf(one.id);
    const first = this.#buckets[at];
    if (first === one) this.#buckets[at] = one.next;
    else {
      let before = first;
      while (before !== undefined && before.next !== one) before = before.next;
      if (before !== undefined) before.next = one.next;
    }
    one.next = undefined;
  }

  // --- internal ---

  #bucketOf(id: number): number {
    return id & (this.#buckets.length - 1);
  }

  #put(one: T): void {
    const at = this.#bucketOf(one.id);
    one.next = this.#buckets[at];
    this.#buckets[at] = one;
  }

  #grow(): void {
    this.#buckets = emptyBuckets(this.#buckets.length * 4);
    for (let one = this.first; one !== undefined; one = one.after) this.#put(one);
  }
}

// --- internal ---

/** By a loop: what `Array.from` is made of is compiled when it is first used, in every process. */
function emptyBuckets<T>(size: number): (T | undefined)[] {
  const buckets: (T | undefined)[] = [];
  while (buckets.length < size) buckets.push(undefined);
  return buckets;
}
