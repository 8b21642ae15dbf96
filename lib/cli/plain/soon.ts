/** What is waited for in a plain call, all together no longer than nobody minds. */

/** Whoever waits longer for a server does not see what the host takes. */
const soonMs = 50;

/** A time that begins when it is made. */
export class Soon {
  readonly #late = Promise.withResolvers<undefined>();

  constructor() {
    setTimeout(() => this.#late.resolve(undefined), soonMs);
  }

  /**
   * What `promise` resolves with; undefined where the time is over, and where it failed: whoever asks it again hears why.
   * What `Promise.race` is made of is compiled first.
   */
  of<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      promise.then(resolve, () => resolve(undefined));
      void this.#late.promise.then(resolve);
    });
  }
}
