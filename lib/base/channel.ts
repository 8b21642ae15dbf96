/**
 * A queue between one that pushes and one that iterates. On the path of every message, so it allocates as little as it
 * can. It never drops an item while its consumer is there, and never knows what the items are.
 */

/** What comes in, in order, for one consumer. */
export interface Feed<T> extends AsyncIterable<T> {
  /**
   * In place of iterating, and cheaper: hands each item to `take` until the end, those that are there at once in one go,
   * and waits where `take` wants it. Rejects with what broke the feed, or with what `take` threw, which is the end, too.
   */
  each(take: Take<T>): Promise<void>;
}

export type Take<T> = (item: T) => Promise<void> | undefined;

/** A bounded queue with an async-iterable end for one consumer. Leaving the loop (`break`) closes the queue. */
export class Channel<T> implements AsyncIterableIterator<T>, Feed<T> {
  readonly #sizeMax: number;
  #items: (T | undefined)[] = [];
  /** Index of the oldest item; those before it were taken. */
  #head = 0;
  #state: "open" | "ended" | "closed" = "open";
  #error: { reason: unknown } | undefined;
  #taker: PromiseWithResolvers<IteratorResult<T>> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  /** @param sizeMax items that wait before `push` asks to wait @default 256 */
  constructor(sizeMax = 256) {
    this.#sizeMax = sizeMax;
  }

  /** Items that wait. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  /**
   * Adds an item. Returns undefined while there is room, else a promise that resolves when there is again: await it
   * before the next push (the item itself is kept). After the end the item is thrown away.
   */
  push(item: T): Promise<void> | undefined {
    if (this.#state !== "open") return undefined;
    const taker = this.#taker;
    if (taker !== undefined) {
      this.#taker = undefined;
      taker.resolve({ value: item, done: false });
      return undefined;
    }
    this.#items.push(item);
    if (this.size < this.#sizeMax) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  /** No more items: the consumer gets those that wait, then the end (or, with `error`, that error thrown). Idempotent. */
  end(error?: unknown): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    if (error !== undefined) this.#error = { reason: error };
    this.#freeRoom();
    const taker = this.#taker;
    this.#taker = undefined;
    if (taker === undefined) return;
    if (this.#error) taker.reject(this.#takeError());
    else taker.resolve({ value: undefined, done: true });
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#head < this.#items.length) {
      return Promise.resolve({ value: this.#take(), done: false });
    }
    if (this.#error) return Promise.reject(this.#takeError());
    if (this.#state !== "open") return Promise.resolve({ value: undefined, done: true });
    if (this.#taker) return Promise.reject(new TypeError("a channel has one consumer"));
    this.#taker = Promise.withResolvers<IteratorResult<T>>();
    return this.#taker.promise;
  }

  /** The consumer leaves: what waits is thrown away, and so is what is pushed later. */
  return(): Promise<IteratorResult<T>> {
    this.end();
    this.#state = "closed";
    this.#error = undefined;
    this.#items = [];
    this.#head = 0;
    return Promise.resolve({ value: undefined, done: true });
  }

  async each(take: Take<T>): Promise<void> {
    try {
      for (let next = await this.next(); next.done !== true; next = await this.next()) {
        let pause = take(next.value);
        for (; this.size > 0; pause = take(this.#take())) if (pause !== undefined) await pause;
        if (pause !== undefined) await pause;
      }
    } finally {
      await this.return();
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): T {
    const item = this.#items[this.#head] as T;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 > this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    if (this.#room !== undefined && this.size < this.#sizeMax) this.#freeRoom();
    return item;
  }

  #takeError(): unknown {
    const reason = this.#error?.reason;
    this.#error = undefined;
    return reason;
  }

  #freeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
