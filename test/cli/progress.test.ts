import { expect, test } from "bun:test";
import { join } from "node:path";

import { bar, meter } from "../../lib/cli/progress.ts";
import { bunAlone, mcphost, root } from "../harness.ts";

const terminal = { stdin: false, stdout: false, stderr: false, columns: 80 };

test("a bar of less than 80 columns, whatever the server says", () => {
  expect(bar("copy", { progress: 1, total: 4 })).toBe("copy [#####...............] 25%");
  expect(bar("copy", { progress: 9, total: 4, message: "over" })).toBe(
    "copy [####################] 100% over",
  );
  expect(bar("copy", { progress: -1, total: 4 })).toBe("copy [....................] 0%");
  expect(bar("copy", { progress: 7 })).toBe("copy 7");
  // Of what has not begun the words are all that tells anything.
  expect(bar("copy", { progress: -0.001, message: "waits" })).toBe("copy waits");
  expect(bar("copy", { progress: 7, total: 0, message: "a\n\u001b[2J" })).toBe(
    "copy 7 a \\u001b[2J",
  );
  expect(bar("x".repeat(100), { progress: 1, message: "y".repeat(200) }).length).toBeLessThan(80);
});

test("a storm of progress is drawn a few times, the end always", () => {
  const lines: (string | undefined)[] = [];
  const io = {
    terminal,
    stderr: { closed: false, async write() {} },
    status: (line?: string) => void lines.push(line),
  };
  const shown = meter(io, { label: "t", events: false });
  for (let progress = 1; progress <= 1000; progress++) shown?.update({ progress, total: 1000 });
  shown?.end();
  expect(lines.length).toBeLessThan(100);
  expect(lines.at(-2)).toContain("100%");
  expect(lines.at(-1)).toBeUndefined();
});

test("nothing is shown where there is no terminal", () => {
  const stderr = { closed: false, async write() {} };
  expect(meter({ stderr, terminal }, { label: "t", events: false })).toBeUndefined();
});

const server = [...bunAlone, join(root, "examples/echo.ts")];
const slow = (steps: number) =>
  mcphost("call", "slow", `steps=${steps}`, "stepMs=50", "--", ...server);

test("a bar is as wide as its terminal, also when that is made narrower", async () => {
  await using screen = await slow(400).terminal();
  await screen.shows(/\[\.+\]/);
  screen.resize(20);
  // What was drawn before that is whole by now.
  await screen.shows(/slow \[[#.]+…/);
  const bars = screen.text().split("\r\u001b[K");
  const first = bars.findIndex((text) => text.includes("…"));
  expect(bars.slice(first).filter((text) => text.length > 19)).toEqual([]);
});

test("a terminal that is dumb gets no line that it would have to take away again", async () => {
  await using screen = await slow(3).env({ TERM: "dumb" }).terminal();
  expect(await screen.exited).toBe(0);
  expect(screen.text()).toBe("3 steps done\r\n");
});
