/** When the event loop is kept awake for an answer, and for how long. */
import { expect, test } from "bun:test";

import { Vigil } from "../../lib/process/vigil.ts";

/** A clock that is set by hand, and turns that come when they are asked for. */
function watched() {
  let now = 0;
  let turns: (() => void)[] = [];
  const vigil = new Vigil({ now: () => now, next: (turn) => turns.push(turn) });
  return {
    vigil,
    pass(ms: number) {
      now += ms;
    },
    /** How many callbacks were waiting for the turn that comes now. */
    turn() {
      const due = turns;
      turns = [];
      for (const one of due) one();
      return due.length;
    },
    /** One line, alone, that is answered after so long. */
    ask(ms: number) {
      vigil.begin();
      now += ms;
      vigil.heard();
    },
  };
}

test("it begins with the answer after a quick one, and ends with that", () => {
  const { vigil, pass, turn, ask } = watched();
  vigil.begin();
  expect(turn()).toBe(0);
  pass(0.05);
  vigil.heard();
  vigil.begin();
  expect([turn(), turn(), turn()]).toEqual([1, 1, 1]);
  vigil.heard();
  turn();
  expect(turn()).toBe(0);
  ask(0.05);
  expect(turn()).toBe(1);
  expect(turn()).toBe(0);
});

test("a slow answer costs one moment, and none again until one was quick", () => {
  const { vigil, pass, turn, ask } = watched();
  ask(0.05);
  vigil.begin();
  expect(turn()).toBe(1);
  pass(0.3);
  expect([turn(), turn()]).toEqual([1, 0]);
  pass(5);
  vigil.heard();
  ask(5);
  expect(turn()).toBe(0);
  ask(0.05);
  vigil.begin();
  expect(turn()).toBe(1);
});

test("lines that have company are not watched over", () => {
  const { vigil, turn, ask } = watched();
  ask(0.05);
  vigil.begin();
  vigil.end();
  expect([turn(), turn()]).toEqual([1, 0]);
});

test("what comes unasked says nothing of how quick answers are", () => {
  const { vigil, turn } = watched();
  vigil.heard();
  vigil.begin();
  expect(turn()).toBe(0);
});
