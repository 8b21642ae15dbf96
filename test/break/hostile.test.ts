/** A hostile server and bad luck: what must hold whatever a server does. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { hostile } from "./kit.ts";

/** What a terminal would act on, as bytes on the wire. */
const acting = [
  "\u001b[31m",
  "\u001b]0;",
  "\u001b]8;",
  "\u202e",
  "\u2066",
  "\u009b",
  "\0",
  "\b",
  "\u007f",
];

test.each([
  [["tools"]],
  [["tools", "t"]],
  [["tools", "--json"]],
  [["servers", "--check"]],
  [["doctor"]],
  [["call", "t"]],
  [["call", "t", "--json"]],
  [["call", "t", "--json", "--events"]],
  [["call", "t", "--stderr", "--log-level", "debug"]],
  [["call", "t", "y=1", "--json"]],
])("nothing that a server says acts on a terminal: %j", async (words) => {
  await using screen = await mcphost(...words, "--", ...hostile("evil")).terminal();
  await screen.exited;
  expect(screen.text()).toContain("RED");
  expect(acting.filter((bytes) => screen.text().includes(bytes))).toEqual([]);
  await nothingLeft(screen.marker);
});

test("a tool with a line break in its name takes one line of the list", async () => {
  const run = await mcphost("tools", "--", ...hostile("two-lines")).run();
  expectRun(run, { stdout: 't(x?: string)\n"a\\nb(x: string)"()\n' });
  const json = await mcphost("tools", "--json", "--", ...hostile("two-lines")).run();
  expect(JSON.parse(json.stdout)[1].name).toBe("a\nb(x: string)");
});

test.each(["doubling", "unique", "enum"])(
  "an outputSchema that takes for ever to check holds up nothing: %s",
  async (mode) => {
    // Without a bound it takes hours.
    const run = await mcphost("call", "t", "--", ...hostile(mode))
      .timeoutMs(60_000)
      .run();
    expectRun(run, { stdout: "ok\n", stderr: /not checked.*longer than 1000 ms/ });
  },
  70_000,
);

test("arguments that are nested too deeply are said to be, and the schema is not blamed", async () => {
  const deep = `{"x": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const run = await mcphost("call", "t", "-", "--", ...hostile("plain"))
    .stdin(deep)
    .run();
  expect(run.stderr).toContain(
    "the arguments of t are not checked: the value is nested more than 1000 levels deep",
  );
});

test("no answer to tools/list in time: the call was not sent, exit 3", async () => {
  const words = ["call", "t", "--timeout", "1", "--json", "--", ...hostile("no-list")];
  const run = await mcphost(...words).run();
  expect(JSON.parse(run.stderr).error).toMatchObject({
    code: "server_start",
    message: 'server "server" did not answer tools/list within 1000 ms',
    sent: false,
  });
  expect(run.code).toBe(3);
});

test.each([
  [hostile("no-list"), 'while server "server" was to answer tools/list'],
  [[...bunAlone, join(root, "test/fixtures/client/mute.ts")], 'before server "server" was ready'],
])(
  "--max-time says what was under way: %#",
  async (server, step) => {
    // As long as it takes until that is under way.
    for (const time of ["1.5", "5", "20"]) {
      const words = ["call", "t", "--max-time", time, "--", ...server];
      const run = await mcphost(...words).run();
      if (!run.stderr.includes(step) && time !== "20") continue;
      return expectRun(run, {
        code: 4,
        stderr: new RegExp(`after ${RegExp.escape(time)} s \\(--max-time\\) ${step}`),
      });
    }
  },
  60_000,
);
