/** Servers that ask with megabytes, many times at once: what waits for answers is bounded by what it weighs, too. */
import { describe, expect, test } from "bun:test";

import { OpenQuestions } from "../../lib/serve/gateway-parked-questions.ts";
import { Questions } from "../../lib/serve/gateway-questions.ts";

const megabytes = { message: "x".repeat(5_000_000) };
const { signal } = new AbortController();

/** Why it is refused; one that is not is open. */
function soon(asked: Promise<unknown>): Promise<unknown> {
  const refused = asked.catch((error: Error) => error.message);
  return Promise.race([refused, Bun.sleep(1).then(() => "open")]);
}

/** The key or the id of each question that was asked, and a way to answer it. */
interface Asked {
  ask(): Promise<unknown>;
  answerFirst(): void;
}

const kinds: Record<string, () => Asked> = {
  "of a client that is there": () => {
    const ids: number[] = [];
    const send = (text: string) => ids.push(JSON.parse(text).id as number) > 0;
    const questions = new Questions(send, undefined);
    questions.flush();
    return {
      ask: () => questions.ask("elicitation/create", megabytes, { signal, onProgress() {} }),
      answerFirst: () => questions.answered({ jsonrpc: "2.0", id: ids[0]!, result: {} }),
    };
  },
  "of a client that may be away": () => {
    const questions = new OpenQuestions(() => {});
    return {
      ask: () => questions.ask("elicitation/create", megabytes, signal),
      answerFirst: () => questions.answer({ "question-1": {} }),
    };
  },
};

describe.each(Object.entries(kinds))("open questions %s", (_name, make) => {
  test("weigh what they weigh together, until they are answered", async () => {
    const { ask, answerFirst } = make();
    const open = Array.from({ length: 4 }, ask);
    const refused = ask();
    expect(await soon(refused)).toMatch(/open questions/);
    answerFirst();
    expect(await open[0]).toEqual({});
    expect(await soon(ask())).toBe("open");
  });
});
