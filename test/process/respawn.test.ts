import { describe, expect, test } from "bun:test";

import {
  type Life,
  lifeEnded,
  mayStart,
  type RespawnState,
  unspoilt,
} from "../../lib/process/respawn.ts";

const died: Life = { uptimeMs: 500, answered: false, ended: "exit code 0" };

/** Calls as often as they can, each life ending after `life.uptimeMs`; gives the times of the starts. */
function steadyCalls(life: Life, untilMs: number, everyMs = 100): number[] {
  const starts: number[] = [];
  let state: RespawnState = unspoilt;
  let now = 0;
  while (now < untilMs) {
    const verdict = mayStart(state, now);
    if (verdict.do === "wait") now += verdict.waitMs;
    else if (verdict.do === "refuse") now += everyMs;
    else {
      starts.push(now);
      now += life.uptimeMs;
      state = lifeEnded(state, life, now);
    }
  }
  return starts;
}

function afterFailures(count: number, atMs = 0): RespawnState {
  let state = unspoilt;
  for (let i = 0; i < count; i++) state = lifeEnded(state, died, atMs);
  return state;
}

describe("respawn", () => {
  test("a server that greets well and dies is started a handful of times, not for ever (B082)", () => {
    const starts = steadyCalls(died, 20_000);
    expect(starts.length).toBeLessThanOrEqual(6);
    const gaps = starts.slice(1).map((at, i) => at - (starts[i] ?? 0));
    expect(gaps.slice(0, 4)).toEqual([500, 1500, 2500, 4500]);
  });

  test("one that answers a call each time is started each time (B073)", () => {
    expect(steadyCalls({ ...died, answered: true }, 10_000)).toHaveLength(20);
  });

  test("a long life makes it sound again without a call", () => {
    const state = lifeEnded(afterFailures(3), { ...died, uptimeMs: 60_000 }, 100_000);
    expect(state.failures).toBe(0);
    expect(mayStart(state, 100_000)).toEqual({ do: "start" });
  });

  test("after a first death, and long after any, the next call starts it at once (B083)", () => {
    expect(mayStart(afterFailures(1), 0)).toEqual({ do: "start" });
    expect(mayStart(afterFailures(4), 10_000)).toEqual({ do: "start" });
    expect(mayStart(afterFailures(3), 500)).toEqual({ do: "wait", waitMs: 1500 });
  });

  test("after giving up one call tries once more, then one a minute, others are told why", () => {
    expect(mayStart(afterFailures(5), 0)).toEqual({ do: "start" });
    expect(mayStart(afterFailures(6), 1000)).toEqual({
      do: "refuse",
      reason: "it ended 6 times in a row without answering a call, last with exit code 0",
      retryMs: 59_000,
    });
    expect(mayStart(afterFailures(6), 60_000)).toEqual({ do: "start" });
  });
});
