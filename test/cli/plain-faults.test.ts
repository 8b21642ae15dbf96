/**
 * Servers that misbehave, by the command line: a plain call comes to what one of the host's does, that is a clear error or
 * the right result, with the right exit status; nothing hangs, and nothing is left running.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { cases, needsConfig } from "../bad-input-kit.ts";
import { asks } from "../fixtures/servers/faults/asks.ts";
import { framing } from "../fixtures/servers/faults/framing.ts";
import { life } from "../fixtures/servers/faults/life.ts";
import { lists } from "../fixtures/servers/faults/lists.ts";
import { replies } from "../fixtures/servers/faults/replies.ts";
import { results } from "../fixtures/servers/faults/results.ts";
import { bunAlone, expectRun, mcphost, root, type Run, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";

const echoed = ["echo", "message=hi"];
const faulty = join(root, "test/fixtures/servers/faulty.ts");
/** They are waited for until a time is over. */
const mute = new Set(["silent", "silent-list", "silent-call", "content-length-only", "buffered"]);

/** Whichever was sooner, its end or the request. */
const endOf = /while it was answering tools\/list|before tools\/list was sent/;

describe.concurrent("whatever a server does, a plain call ends as one of the host's", () => {
  for (const [name, { tools = [] }] of [framing, replies, lists, results, life, asks].flatMap(
    Object.entries,
  )) {
    if (mute.has(name)) continue;
    const known = cases[name] ?? (tools.length === 0 ? { call: echoed } : {});
    const { call: words = ["fault"], ...comesTo } = known;
    const call = (home: string, ...flags: string[]) =>
      mcphost("call", ...words, ...flags, "--", ...bunAlone, faulty, name)
        .home(home)
        .run();
    test(
      name,
      async () => {
        await using plain = await tempDir();
        await using whole = await tempDir();
        // What is printed does not hang on how the era is known: each is seen in one of the two.
        for (const [era, ...flags] of [["unknown"], ["known", "--json"]]) {
          const ended = await call(plain.path, ...flags);
          // The flag makes it a call of the host's, and changes nothing else here.
          const expected = await call(whole.path, ...flags, "--no-user-config");
          expect({ era, ...shown(ended) }).toEqual({ era, ...shown(expected) });
          if (era === "unknown" && name in cases && !needsConfig(name))
            expectRun(expected, { stderr: /^/, ...comesTo });
        }
        await Promise.all([plain, whole].map(({ path }) => nothingLeft(path, 20_000)));
      },
      60_000,
    );
  }
});

// --- internal ---

function shown({ code, stdout, stderr }: Run) {
  return { code, stdout, stderr: stderr.replace(endOf, "at tools/list") };
}
