/** What servers tell of their own accord, over every transport and era. */
import { describe, expect, test } from "bun:test";

import type { ServerUpdate } from "../../lib/host/lasting-types.ts";
import { waitFor } from "../processes.ts";
import { openWay, ways } from "./ways.ts";
import type { OnWay } from "./ways.ts";

interface Heard extends AsyncDisposable {
  updates: ServerUpdate[];
  opened: number;
  missing: string[];
  done: Promise<"ended" | "closed">;
}

async function subscribe(on: OnWay): Promise<Heard> {
  const abort = new AbortController();
  const heard: Heard = {
    updates: [],
    opened: 0,
    missing: [],
    done: on.host.subscribe({
      lists: ["tools", "prompts", "resources"],
      uris: ["note://one", "note://two"],
      signal: abort.signal,
      onUpdate: (update) => heard.updates.push(update),
      onOpen: (missing) => {
        heard.opened++;
        heard.missing = missing;
      },
    }),
    async [Symbol.asyncDispose]() {
      abort.abort();
      await heard.done;
    },
  };
  await waitFor(() => heard.opened === 1, "the subscription to open");
  return heard;
}

describe.each(ways)("$name", (way) => {
  test("resources and lists that were asked for, and no others", async () => {
    await using on = await openWay(way);
    await using heard = await subscribe(on);
    expect(heard.missing).toEqual([]);
    await on.say("touch", { uri: "note://three" });
    await on.say("touch", { uri: "note://one" });
    await on.say("touch", { uri: "note://two" });
    await on.say("change", { list: "prompts" });
    await waitFor(() => heard.updates.length >= 3, "the updates");
    expect(heard.updates).toMatchObject([
      { server: "srv", kind: "resource", uri: "note://one" },
      { server: "srv", kind: "resource", uri: "note://two" },
      { server: "srv", kind: "list", list: "prompts" },
    ]);
  });

  test("is ended by us, and nothing is told any more", async () => {
    await using on = await openWay(way);
    const heard = await subscribe(on);
    await heard[Symbol.asyncDispose]();
    expect(await heard.done).toBe("closed");
    await on.say("touch", { uri: "note://one" });
    expect(await on.say("echo", { text: "after" })).toBe("after");
    expect(heard.updates).toEqual([]);
  });

  if (way.transport !== undefined)
    test("what breaks is opened again", async () => {
      await using on = await openWay(way);
      await using heard = await subscribe(on);
      on.server!.cutStreams();
      // A stream of a legacy session is resumed: nothing was missed, and nobody needs to know.
      const isResumed = way.transport === "http" && way.era === "legacy";
      if (!isResumed) await waitFor(() => heard.opened === 2, "the subscription to open again");
      await on.say("touch", { uri: "note://one" });
      await waitFor(() => heard.updates.some(({ kind }) => kind === "resource"), "the update");
      expect(heard.updates.some(({ kind }) => kind === "stale")).toBe(!isResumed);
    });
});
