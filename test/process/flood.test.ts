/** A child that writes as fast as we read: everything else in the process goes on. */
import { expect, test } from "bun:test";

import { Pump } from "../../lib/cli/tee.ts";
import { Chunks } from "../../lib/process/chunks.ts";

test("a child that floods its stdout does not stop the event loop", async () => {
  await using child = flood();
  const turns = countTurns();
  let chunks = 0;
  for await (const chunk of new Chunks(child.stdout, { gone: new Promise(() => {}) })) {
    work(chunk);
    if (++chunks === 300) break;
  }
  expect(turns()).toBeGreaterThan(chunks / 20);
});

test("what is passed on from such a child does not, either", async () => {
  await using child = flood();
  const turns = countTurns();
  let chunks = 0;
  const outlet = { write: async () => ++chunks < 300, close: async () => {} };
  await new Pump(child.stdout.getReader(), outlet, (chunk) => work(chunk ?? new Uint8Array())).done;
  expect(turns()).toBeGreaterThan(chunks / 20);
});

test("a chunk without bounds is handed on in portions, every byte in its order", async () => {
  const all = new Uint8Array(3_500_000).map((_, at) => at);
  const portions: Uint8Array[] = [];
  const chunks = new Chunks(new Response(all).body!, { gone: new Promise(() => {}) });
  for await (const portion of chunks) portions.push(portion);
  expect(Math.max(...portions.map(({ length }) => length))).toBeLessThan(1_100_000);
  expect(Buffer.concat(portions).equals(all)).toBe(true);

  const passed: Uint8Array[] = [];
  let seen = 0;
  const outlet = {
    write: async (portion: Uint8Array) => passed.push(portion) < 2,
    close: async () => {},
  };
  const source = { read: async () => ({ value: all, done: false }), cancel: async () => {} };
  await new Pump(source, outlet, (portion) => (seen += portion?.length ?? 0)).done;
  // Its reader has left after the second: the rest was neither passed nor seen.
  expect(passed.map(({ length }) => length)).toEqual([1_048_576, 1_048_576]);
  expect(seen).toBe(2_097_152);
});

// --- internal ---

function flood() {
  const child = Bun.spawn(["yes"], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  return {
    stdout: child.stdout,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** As much as the child needs to fill its pipe again. */
function work(chunk: Uint8Array): void {
  chunk.reduce((sum, byte) => sum + byte, 0);
}

/** How often the event loop has turned since. */
function countTurns(): () => number {
  let turns = 0;
  const next = () => {
    turns++;
    timer = setImmediate(next);
  };
  let timer = setImmediate(next);
  return () => {
    clearImmediate(timer);
    return turns;
  };
}
