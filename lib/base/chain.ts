/**
 * What comes and goes by the thousand, in order, linked by itself. A Set or a Map that work goes through leaves old tables
 * behind, each with all that was in it and a way to the next one: as soon as one of them has outlived a collection of garbage,
 * everything that ever went through does, until a full one. A chain leaves nothing.
 */

/** It is in one chain at a time, which alone writes these. */
export interface Linked<T> {
  before?: T | undefined;
  after?: T | undefined;
}

export class Chain<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  /** The one that is in it for longest; the others follow by `after`. */
  get first(): T | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  /** In the order in which they came; those who come or go meanwhile change nothing of it. */
  all(): T[] {
    const all: T[] = [];
    for (let one = this.#first; one !== undefined; one = one.after) all.push(one);
    return all;
  }

  /** At the end. It must be in none. */
  add(one: T): void {
    const last = this.#last;
    if (last === undefined) this.#first = one;
    else {
      last.after = one;
      one.before = last;
    }
    this.#last = one;
    this.#size += 1;
  }

  /** Nothing happens where it is not in this one, nor in another. */
  delete(one: T): void {
    const { before, after } = one;
    if (before === undefined && this.#first !== one) return;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    one.before = undefined;
    one.after = undefined;
    this.#size -= 1;
  }
}
