/** Words of a command line that are no UTF-8: only a shell can give them, and only the system keeps their bytes. */
import { describe, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, sourceProgram } from "../harness.ts";

setDefaultTimeout(30_000);

const echo = [...bunAlone, join(root, "test/fixtures/servers/echo.ts")];

/** `mcphost` with these words, each as `printf` of a shell writes it. */
function spelt(...words: string[]) {
  const program = sourceProgram.map((word) => `'${word}'`).join(" ");
  const written = words.map((word) => `"$(printf -- '${word}')"`).join(" ");
  return mcphost().program(["sh", "-c", `exec ${program} ${written}`]);
}

describe.concurrent("words that are no UTF-8", () => {
  test.each<[string, string[]]>([
    ["an argument", ["call", "echo", "message=a\\377b", "--", ...echo]],
    [
      "one beside others",
      ["call", "echo", "other=\\357\\277\\275", "message=\\303", "--", ...echo],
    ],
    ["half a surrogate", ["call", "echo", "message=\\355\\240\\200", "--", ...echo]],
    ["a flag's value", ["call", "echo", "message=a", "-o", "/nowhere/\\377", "--", ...echo]],
    ["a word of the server's", ["tools", "--", ...echo, "/data/\\376"]],
    ["a command", ["\\200"]],
  ])("%s: a usage error, and no server is started", async (_what, words) => {
    const run = await spelt(...words).run();
    expectRun(run, { code: 2, stderr: /^mcphost: the word ".*�.*" is not UTF-8 text.*\n.*base64/ });
  });

  test("a U+FFFD that was typed is sent", async () => {
    const run = await spelt("call", "echo", "message=a\\357\\277\\275", "--", ...echo).run();
    expectRun(run, { stdout: "a�\n" });
  });

  test("other text beyond ASCII is sent", async () => {
    const run = await spelt(
      "call",
      "echo",
      "message=\\303\\244\\360\\237\\231\\202",
      "--",
      ...echo,
    );
    expectRun(await run.run(), { stdout: "ä🙂\n" });
  });
});
