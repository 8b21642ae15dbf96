/** Where a result goes: `-o`, `--save`, stdout and stderr, for results that hold more than one thing. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";

setDefaultTimeout(30_000);

const server = ["--", ...bunAlone, join(root, "test/fixtures/cli/mixed.ts")];
const call = (...words: string[]) => mcphost("call", ...words, ...server);
const png = new TextDecoder().decode(Uint8Array.fromBase64("iVBORw0KGgo="));

describe.concurrent("where a result goes", () => {
  test("-o - writes the one binary to stdout and nothing else; its text is said on stderr", async () => {
    expectRun(await call("mixed", "-o", "-").run(), { stdout: png, stderr: "look\n" });
    expectRun(await call("drawn", "-o", "-").run(), { stdout: png });
    expectRun(await call("said", "-o", "-").run(), { stdout: "only words" });
  });

  test("--json and -o - do not share stdout, and no server is started for it", async () => {
    const run = await mcphost("call", "said", "--json", "-o", "-", "--", "/no/such").run();
    expectRun(run, { code: 2, stderr: /--json and -o - both want stdout/ });
  });

  test("a binary is not written to a terminal", async () => {
    await using screen = await call("drawn", "-o", "-").terminal();
    expect(await screen.exited).toBe(8);
    await screen.shows(/stdout is a terminal/);
    expect(screen.text()).toContain("-o FILE keeps it");
    expect(screen.text()).not.toContain("PNG");
  });

  test("structured content is not printed beside a binary that is named or kept", async () => {
    await using dir = await tempDir();
    expectRun(await call("drawn").run(), {
      stderr: /^\[image image\/png, 8 bytes: not shown; .*\]\n$/,
    });
    expectRun(await call("drawn", "-o", "f.png").cwd(dir.path).run(), {});
    expectRun(await call("drawn", "--save", "all").cwd(dir.path).run(), {
      stderr: "saved all/drawn-1.png\n",
    });
    expectRun(await call("mixed", "--save", "all").cwd(dir.path).run(), {
      stdout: "look\n",
      stderr: "saved all/mixed-1.png\n",
    });
  });

  test("--save where there is nothing to save says so", async () => {
    expectRun(await call("said", "--save", "all").run(), {
      stdout: "only words\n",
      stderr:
        "nothing is saved in all: the result holds no picture, sound or other binary; -o FILE keeps a text\n",
    });
    expectRun(await call("said", "--save", "all", "-q").run(), { stdout: "only words\n" });
  });
});
