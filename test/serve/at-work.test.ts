/** Which calls count as being at work on a server: those that run, and for a while those that were given up. */
import { expect, test } from "bun:test";

import type { OpenedHost } from "../../lib/host/opened-types.ts";
import type { HostEvent } from "../../lib/host/types.ts";
import { AtWork } from "../../lib/serve/at-work.ts";

const call = (id: string) => ({ id, owner: "o", server: "s", tool: "t" });

/** A host whose events are told by hand, and a clock. */
function fake() {
  let now = 1000;
  let watcher: ((event: HostEvent) => void) | undefined;
  const tell = (event: HostEvent) => watcher?.(event);
  const over: string[] = [];
  const onEvent = (given: (event: HostEvent) => void) => {
    watcher = given;
    return { [Symbol.dispose]: () => void (watcher = undefined) };
  };
  const work = new AtWork(
    { onEvent: onEvent as OpenedHost["onEvent"] },
    { onOver: (id) => over.push(id), now: () => now },
  );
  return {
    work,
    over,
    at: () => [...work.at("s").keys()],
    start: (id: string) => tell({ type: "call_start", ...call(id) }),
    end(id: string, mayRun?: true) {
      const ended = { status: "cancelled" as const, durationMs: 1, ...(mayRun && { mayRun }) };
      tell({ type: "call_end", ...call(id), ...ended });
    },
    becomes: (state: "ready" | "failed") => tell({ type: "server_state", server: "s", state }),
    pass: (ms: number) => void (now += ms),
  };
}

test("from its start to its end", () => {
  const { work, over, at, start, end } = fake();
  start("a");
  start("b");
  expect(at()).toEqual(["a", "b"]);
  end("a");
  expect([at(), over]).toEqual([["b"], ["a"]]);
  end("b");
  end("never begun");
  expect(at()).toEqual([]);
  expect([...work.at("other").keys()]).toEqual([]);
});

test("of thousands that come and go, in whatever order, those count that run", () => {
  const { at, start, end } = fake();
  const running = new Set<string>();
  for (let nth = 0; nth < 5000; nth += 1) {
    start(`${nth}`);
    running.add(`${nth}`);
    // Most often the oldest, or the newest, or one between.
    const ids = [...running];
    const id = ids[[0, 0, 0, ids.length - 1, nth % ids.length][nth % 5]!]!;
    if (nth % 64 === 0) continue;
    end(id);
    running.delete(id);
  }
  expect(at().toSorted()).toEqual([...running].toSorted());
});

test("what was given up counts on, for its time or until its server has ended", () => {
  const { over, at, start, end, becomes, pass } = fake();
  start("a");
  end("a", true);
  pass(29_000);
  start("b");
  end("b", true);
  start("c");
  expect(at()).toEqual(["a", "b", "c"]);
  pass(1001);
  expect([at(), over]).toEqual([["b", "c"], ["a"]]);
  becomes("ready");
  expect(at()).toEqual(["b", "c"]);
  becomes("failed");
  // A call that runs is told of by its own end.
  expect([at(), over]).toEqual([["c"], ["a", "b"]]);
});

test("nothing is heard any more once it is disposed", () => {
  const { work, at, start } = fake();
  work[Symbol.dispose]();
  start("a");
  expect(at()).toEqual([]);
});
