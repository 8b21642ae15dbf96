/** How many questions of servers may be open to one client, and how large they may be together. It keeps none of them. */
import { internalError, RpcError } from "../protocol/jsonrpc.ts";

export class QuestionRoom {
  #open = 0;
  #chars = 0;

  /** A question of about so many characters is open from now on; else why not. A large one finds room where there is any. */
  enter(chars: number): RpcError | undefined {
    if (this.#open >= questionsMax) return noRoom(`${questionsMax} questions are open`);
    if (this.#chars >= charsMax) return noRoom("open questions are too large together");
    this.#open += 1;
    this.#chars += chars;
    return undefined;
  }

  /** It is not open any more. */
  leave(chars: number): void {
    this.#open -= 1;
    this.#chars -= chars;
  }
}

// --- internal ---

/** At a time: more than a person would answer. */
const questionsMax = 100;
const charsMax = 16_777_216;

function noRoom(why: string): RpcError {
  return new RpcError({ code: internalError, message: `${why}: no more for now` });
}
