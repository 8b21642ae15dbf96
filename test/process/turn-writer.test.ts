/** Which lines go together in one write, and which at once. */
import { expect, test } from "bun:test";

import { TurnWriter } from "../../lib/process/turn-writer.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function recorded() {
  const writes: string[] = [];
  const writer = new TurnWriter((lines) => {
    writes.push(lines);
    return undefined;
  });
  /** Writes lines in one turn, and hears what they are answered with. */
  const ask = async (...lines: string[]) => {
    const taken = lines.map((line) => writer.write(line));
    const atOnce = writes.splice(0);
    await turn();
    await Promise.all(taken);
    writer.heard();
    return { atOnce, together: writes.splice(0) };
  };
  return { writer, writes, ask };
}

test("who asks one at a time waits for no turn", async () => {
  const { ask } = recorded();
  for (const line of ["a", "b", "c"])
    expect(await ask(line)).toEqual({ atOnce: [line], together: [] });
});

test("the others of a turn go together behind the first", async () => {
  const { ask } = recorded();
  expect(await ask("a", "b", "c")).toEqual({ atOnce: ["a"], together: ["b\nc"] });
});

test("where many came in the turn before, the first goes with the others, until it is alone again", async () => {
  const { ask } = recorded();
  await ask("a", "b", "c");
  expect(await ask("d", "e")).toEqual({ atOnce: [], together: ["d\ne"] });
  expect(await ask("f")).toEqual({ atOnce: [], together: ["f"] });
  expect(await ask("g")).toEqual({ atOnce: ["g"], together: [] });
});

test("what is held back is handed on by a flush, in its order", async () => {
  const { writer, writes, ask } = recorded();
  await ask("a", "b", "c");
  const taken = writer.write("d");
  writer.flush();
  expect(writes).toEqual(["d"]);
  await taken;
});
