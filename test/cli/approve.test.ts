/** A call that is asked about, at the terminal: what is shown, each of the answers, and that nothing else is a yes. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, mcphost, root, type Screen, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";

const keys = { down: "\u001b[B", enter: "\r", escape: "\u001b", end: "\u0005", kill: "\u0015" };

const server = [...bunAlone, join(root, "examples/echo.ts")];
const call = (...words: string[]) => mcphost("call", "echo", ...words, "--", ...server);
const ask = (...words: string[]) => call(...words, "--ask-tool", "echo").terminal();

/** Types keys once a text stands there that was not there before. */
async function steps(screen: Screen, ...each: [RegExp, string][]): Promise<void> {
  let from = 0;
  for (const [pattern, typed] of each) {
    await waitFor(
      () => pattern.test(screen.text().slice(from)),
      () => `${pattern} in ${JSON.stringify(screen.text().slice(from))}`,
    );
    from = screen.text().length;
    screen.type(typed);
  }
}

/** The answer that stands so many lines below the first. */
const pick = (below: number) => `${keys.down.repeat(below)}${keys.enter}`;

describe.concurrent("at a terminal", () => {
  test("the tool, its server, its own words, why, and the arguments with nothing hidden in them", async () => {
    await using screen = await ask("message=a\u001b[2J\u202eb\nCall nothing");
    await screen.shows(/Allow once/);
    const text = screen.text();
    expect(text).toMatch(/Call echo of server "server"\?\r?\n/);
    // It is the only call of this run.
    expect(text).not.toContain("for this run");
    expect(text).toMatch(/since --ask-tool "echo"/);
    expect(text).toContain('"a\\u001b[2J\\u202eb\\nCall nothing"');
    expect(text).toMatch(/\| Gives the message back/);
    screen.type(pick(0));
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toEndWith("a\\u001b[2J\\u202eb\r\nCall nothing\r\n");
  });

  test("other arguments are asked for until they fit, and shown before they are sent", async () => {
    await using screen = await ask("message=one");
    await steps(
      screen,
      [/Reject/, pick(1)],
      [/as a JSON object/, `${keys.kill}{"message":5}${keys.enter}`],
      [/That did not do: echo: argument message: expected string[^]*Reject/, pick(1)],
      [/as a JSON object/, `${keys.kill}nonsense${keys.enter}`],
      [/it is no JSON object/, `${keys.kill}{"message":"two"}${keys.enter}`],
      [/"message": "two"[^]*Reject/, pick(0)],
    );
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toMatch(/two\r\n$/);
  });

  test("Ctrl-D answers nothing, as Esc does", async () => {
    await using screen = await ask("message=one");
    await steps(screen, [/Reject/, "\u0004"]);
    expect(await screen.exited).toBe(5);
  });

  test("after Ctrl-Z and fg it is asked again, and answered", async () => {
    await using screen = await ask("message=one");
    // Nobody stops a process that no shell waits for: the shell's part is the signal alone.
    await steps(screen, [/Reject/, "\u001a"]);
    await screen.shows(/\[\?25h/);
    const from = screen.text().length;
    screen.kill("SIGCONT");
    await waitFor(
      () => /Allow once[^]*Reject/.test(screen.text().slice(from)),
      () => screen.text().slice(from),
    );
    screen.type(pick(0));
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toEndWith("one\r\n");
  });

  test("no, with a reason, and Esc, which is no yes", async () => {
    await using screen = await ask("message=one");
    await steps(screen, [/Reject/, pick(2)], [/Why\?/, `too late${keys.enter}`]);
    expect(await screen.exited).toBe(5);
    expect(screen.text()).toContain('mcphost: echo of server "server" was rejected: too late');
    await using left = await ask("message=one");
    await steps(left, [/Reject/, keys.escape]);
    expect(await left.exited).toBe(5);
  });

  test("a yes beforehand is not asked for again", async () => {
    await using screen = await call("message=one", "--ask-tool", "*", "--allow-all").terminal();
    expect(await screen.exited).toBe(0);
    expect(screen.text()).not.toContain("Allow once");
  });
});

test("where a plugin asks there is no rule that could be changed", async () => {
  await using dir = await tempDir();
  await Bun.write(
    dir.file("asks.ts"),
    'export default { name: "asks", hooks: { beforeCall: () => ({ ask: "sure?" }) } };',
  );
  const run = await call("message=one", "--plugin", dir.file("asks.ts")).run();
  expect(run.code).toBe(5);
  expect(run.stderr).toEndWith(
    '(plugin "asks": sure?)\n' +
      "  allow it beforehand (--allow-tool echo, or --wait-approval to wait for an answer)\n",
  );
});

test("where nobody can be asked it is denied, and what would have answered is named", async () => {
  const run = await call("message=one", "--ask-tool", "echo").run();
  expect(run).toMatchObject({ code: 5, stdout: "" });
  expect(run.stderr).toBe(
    'mcphost: echo of server "server" needs approval and nobody can be asked here (--ask-tool "echo")\n' +
      "  allow it beforehand: change the rule, or add one that allows it (--allow-tool echo, or --wait-approval to wait for an answer)\n",
  );
});
