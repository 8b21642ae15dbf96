/** Servers as they come: every revision, with and without sessions and streams, both eras at one address. */
import { describe, expect, test } from "bun:test";

import type { Era } from "../../lib/protocol/mcp.ts";
import { legacyRevisions } from "../fixtures/remote/legacy-greeting.ts";
import type { RemoteServerOptions } from "../fixtures/remote/server.ts";
import { waitFor } from "../processes.ts";
import { openWay, ways } from "./ways.ts";

interface Variant {
  name: string;
  served: Partial<RemoteServerOptions>;
  /** What is spoken. @default "legacy" */
  era?: Era;
  /** It can send nothing but answers. */
  isMute?: true;
}

const variants: Variant[] = [
  { name: "without sessions", served: { sessions: false } },
  { name: "without a stream of its own", served: { getStream: false } },
  { name: "without either", served: { sessions: false, getStream: false } },
  { name: "answers as JSON", served: { answers: "json" }, isMute: true },
  {
    name: "answers as JSON, without sessions and streams",
    served: { answers: "json", sessions: false, getStream: false },
    isMute: true,
  },
  {
    name: "modern, answers as JSON",
    served: { era: "modern", answers: "json" },
    era: "modern",
    isMute: true,
  },
  { name: "both eras", served: { era: "both" }, era: "modern" },
];

describe.each(variants)("HTTP, $name", ({ served, era = "legacy", isMute }) => {
  const way = { name: "", era, transport: "http" } as const;

  test("listed, called, refused, many at once, started anew, ended", async () => {
    await using on = await openWay(way, { served: { pageSize: 7, ...served } });
    const { tools, failed } = await on.host.tools();
    expect(failed).toEqual([]);
    expect(tools.length).toBeGreaterThan(20);
    expect(on.host.servers()).toMatchObject([{ era }]);
    expect(await on.say("refuse")).toContain("refused as asked");
    const calls = Array.from({ length: 50 }, (_, a) => on.say("add", { a, b: 1 }));
    expect(await Promise.all(calls)).toEqual(calls.map((_, a) => String(a + 1)));
    expect((await on.host.read({ uri: "note://one" })).result).toMatchObject({
      contents: [{ text: "first" }],
    });
    await on.server!.restart();
    expect(await on.say("add", { a: 1, b: 1 })).toBe("2");
  });

  test("a call that is given up, and progress where there can be any", async () => {
    await using on = await openWay(way, { served });
    const seen: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => void seen.push(progress);
    const outcome = await on.host.call({ tool: "slow", arguments: { ms: 1 }, onProgress });
    expect(outcome.status).toBe("completed");
    expect(seen).toEqual(isMute ? [] : [1, 2, 3]);
    expect(await on.host.call({ tool: "hang", timeoutMs: 30 })).toMatchObject({
      error: { code: "timeout" },
    });
    await waitFor(async () => (await on.say("cancelled")) === "1", "the server to hear of it");
  });
});

const legacyWays = ways.filter(({ era }) => era === "legacy");

describe.each(legacyWays)("$name", (way) => {
  test.each(legacyRevisions)(
    "a server of %s: its revision is agreed on, and its features work",
    async (legacyRevision) => {
      await using on = await openWay(way, {
        served: { legacyRevision },
        answers: { roots: async () => [{ uri: "file:///srv" }] },
      });
      expect(await on.say("add", { a: 2, b: 40 })).toBe("42");
      expect(on.host.servers()).toMatchObject([{ revision: legacyRevision }]);
      expect(await on.say("roots")).toBe('{"roots":[{"uri":"file:///srv"}]}');
      expect((await on.host.resources()).resources).toHaveLength(5);
      expect((await on.host.prompt({ prompt: "plain" })).result["messages"]).toBeDefined();
      const { values } = await on.host.complete({
        ref: { prompt: "greet" },
        argument: { name: "style", value: "fo" },
      });
      expect(values).toEqual(legacyRevision === "2024-11-05" ? [] : ["formal"]);
    },
  );
});
