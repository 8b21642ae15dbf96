/** Resources of several servers: how they are named, and one that fails. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root } from "../harness.ts";

setDefaultTimeout(30_000);

const fixture = (era: string) => [...bunAlone, join(root, "test/fixtures/remote/stdio.ts"), era];

/** A config of two servers that have the same resources. */
const twins = JSON.stringify({
  mcpServers: Object.fromEntries(
    [
      ["one", "modern"],
      ["two", "legacy"],
    ].map(([name, era]) => {
      const [command, ...args] = fixture(era ?? "");
      return [name, { command, args }];
    }),
  ),
});

const both = (...words: string[]) => mcphost(...words, "--config-json", twins).run();

describe("several servers", () => {
  test("are shown with their names, as read takes them", async () => {
    const { code, stdout, stderr } = await both("resources", "note://one");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      "one/note://one  # Note one (text/plain)\ntwo/note://one  # Note one (text/plain)\n",
    );
    expectRun(await both("read", "two/note://one"), { stdout: "first" });
  });

  test("a URI of both is picked from neither", async () => {
    expectRun(await both("read", "note://one"), {
      code: 2,
      stderr: `mcphost: several servers have "note://one"
  say which: one/note://one, two/note://one
`,
    });
    expectRun(await both("read", "count://1/2"), { code: 2, stderr: /several servers have/ });
    expectRun(await both("read", "nothing://here"), {
      code: 2,
      stderr: /^mcphost: no server lists "nothing:\/\/here"\n {2}SERVER\/URI asks one of one, two/,
    });
  });

  test("one that fails is named, and the other's are had: exit 3", async () => {
    const [command, ...args] = fixture("modern");
    const servers = { good: { command, args }, bad: { command: "/nowhere" } };
    const config = JSON.stringify({ mcpServers: servers });
    expectRun(await mcphost("resources", "blob*", "--config-json", config).run(), {
      code: 3,
      stdout: "good/blob://pixel  # (application/octet-stream, 4 bytes)\n",
      stderr: /server "bad"/,
    });
    // What the good one has, it has, whatever the other might.
    expectRun(await mcphost("read", "blob://pixel", "--config-json", config).run(), {
      stdout: /^\0/,
    });
    expectRun(await mcphost("read", "other://x", "--config-json", config).run(), {
      code: 3,
      stderr: /server "bad"/,
    });
  });
});
