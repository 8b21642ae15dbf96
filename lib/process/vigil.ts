/**
 * Keeps the event loop awake for a moment while one line, alone, waits for its answer. To fall asleep and be woken costs more
 * than many a server takes to answer, so whoever asks a quick one call by call is answered sooner. Only where the answer
 * before came that quickly, so that a slow server costs no more than one such moment; and never where many are under way,
 * who wake it anyway.
 */
export class Vigil {
  readonly #world: VigilWorld;
  readonly #onTurn = () => this.#turn();
  /** When the line was written that waits alone; undefined where none does. */
  #since: number | undefined;
  /** The last one that waited alone was answered in time. */
  #isQuick = false;
  /** The next turn of the event loop is ours. */
  #isTurning = false;

  constructor(world: VigilWorld = realWorld) {
    this.#world = world;
  }

  /** A line was written, and nothing else is on its way. */
  begin(): void {
    this.#since = this.#world.now();
    if (this.#isQuick && !this.#isTurning) this.#again();
  }

  /** Something was heard. */
  heard(): void {
    if (this.#since === undefined) return;
    this.#isQuick = this.#isYoung(this.#since);
    this.#since = undefined;
  }

  /** It is not alone any more. */
  end(): void {
    this.#since = undefined;
  }

  // --- internal ---

  #turn(): void {
    this.#isTurning = false;
    if (this.#since === undefined) return;
    if (this.#isYoung(this.#since)) this.#again();
    else this.#isQuick = false;
  }

  #again(): void {
    this.#isTurning = true;
    this.#world.next(this.#onTurn);
  }

  #isYoung(since: number): boolean {
    return this.#world.now() - since < vigilMs;
  }
}

/** The clock, in ms, and the event loop. */
export interface VigilWorld {
  now(): number;
  /** Calls back in the next turn, which does not wait for anything. */
  next(turn: () => void): void;
}

// --- internal ---

/** A few times what it takes to be woken. */
const vigilMs = 0.2;

const realWorld: VigilWorld = {
  now: () => performance.now(),
  next: (turn) => setImmediate(turn),
};
