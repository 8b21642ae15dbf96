/** How many requests are being answered, and when none is. */
export class Running {
  #count = 0;
  #waiting: (() => void)[] = [];

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0 || this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  none(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
