import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { asks } from "../fixtures/servers/faults/asks.ts";
import { framing } from "../fixtures/servers/faults/framing.ts";
import { life } from "../fixtures/servers/faults/life.ts";
import { lists } from "../fixtures/servers/faults/lists.ts";
import { replies } from "../fixtures/servers/faults/replies.ts";
import { results } from "../fixtures/servers/faults/results.ts";
import { bunAlone, mcphost, root, tempDir } from "../harness.ts";

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
    test(name, async () => {
      const tool = tools.length === 1 ? String(tools[0]!["name"]) : "echo";
      await using plain = await tempDir();
      await using whole = await tempDir();
      const call = async (home: string, ...flags: string[]) => {
        const words = tool === "echo" ? ["message=hi"] : [];
        const argv = [...bunAlone, faulty, name];
        const run = await mcphost("call", tool, ...words, ...flags, "--", ...argv)
          .home(home)
          .run();
        const { code, stdout, stderr } = run;
        return { code, stdout, stderr: stderr.replace(endOf, "at tools/list") };
      };
      for (const [era, ...flags] of [["unknown"], ["known"], ["known", "--json"]]) {
        const ended = await call(plain.path, ...flags);
        // The flag makes it a call of the host's, and changes nothing else here.
        expect({ era, ...ended }).toEqual({
          era,
          ...(await call(whole.path, ...flags, "--no-user-config")),
        });
      }
    });
  }
});
