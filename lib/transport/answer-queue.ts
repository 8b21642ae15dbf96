/**
 * Our answers to the requests of the far side, on their way into the link. One that asks and never reads would have us keep
 * answers without end: beyond a bound its requests are dropped unanswered. Our own requests do not pass through here.
 */
import type { Log } from "../base/log.ts";
import type { Response } from "../protocol/jsonrpc.ts";

export interface AnswerQueueOptions {
  /** The far side's configured name. */
  name: string;
  log: Log;
  /** Resolves when the link took the answer whole; never rejects. */
  post: (response: Response) => Promise<void>;
}

export class AnswerQueue {
  readonly #options: AnswerQueueOptions;
  #waitingChars = 0;
  readonly #waiting: Response[] = [];
  #underWay = 0;
  #dropped = 0;
  #hasWarned = false;

  constructor(options: AnswerQueueOptions) {
    this.#options = options;
  }

  /** Whether there is room for one more answer; a request that comes while there is none is counted as dropped. */
  admits(): boolean {
    if (this.#waitingChars < waitingCharsMax) return true;
    this.#dropped++;
    if (!this.#hasWarned)
      this.#say("warn", "it does not read our answers: its further requests are dropped");
    this.#hasWarned = true;
    return false;
  }

  /** Sends an answer, or drops it where too many wait; returns at once. */
  send(response: Response): void {
    if (!this.admits()) return;
    this.#waitingChars += lengthOf(response);
    if (this.#underWay < atOnceMax) void this.#write(response);
    else this.#waiting.push(response);
  }

  /** All of them are written, or the link ended: says how many were dropped. */
  end(): void {
    if (this.#dropped > 0) this.#say("info", `${this.#dropped} of its requests were not answered`);
    this.#dropped = 0;
  }

  /** One answer, and those that wait behind it. */
  async #write(response: Response): Promise<void> {
    this.#underWay += 1;
    for (let next: Response | undefined = response; next; next = this.#waiting.shift()) {
      await this.#options.post(next);
      this.#waitingChars -= lengthOf(next);
    }
    this.#underWay -= 1;
    if (this.#waitingChars === 0) this.end();
  }

  #say(level: "warn" | "info", text: string): void {
    const { name, log } = this.#options;
    log({ level, server: name, text });
  }
}

// --- internal ---

const waitingCharsMax = 1024 * 1024;

/** Each of them may be a request of its own: more at once would keep us from all else. */
const atOnceMax = 16;

/** What cannot be written at all takes no room: sending it fails, and says why. */
function lengthOf(response: Response): number {
  try {
    return JSON.stringify(response).length;
  } catch {
    return 0;
  }
}
