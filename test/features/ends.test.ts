/** Servers that go away and come back, over every transport and era: what waits fails clearly, the next call works. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { openWay, ways } from "./ways.ts";
import type { OnWay, Way } from "./ways.ts";

const remote = ways.filter(({ transport }) => transport !== undefined);

/** A link that lasts ends with its server; what is sent before that is noticed may have arrived. */
async function noticed({ host }: OnWay, { transport }: Way): Promise<void> {
  if (transport === "http") return;
  await waitFor(() => host.servers()[0]!.state !== "ready", "the end of the link");
}

describe.each(remote)("$name", (way) => {
  test("B037 B040: the server is started anew between calls: whatever comes first works", async () => {
    await using on = await openWay(way);
    const { host, server } = on;
    const firsts = {
      call: async () => expect(await on.say("echo", { text: "again" })).toBe("again"),
      list: async () => expect((await host.tools()).failed).toEqual([]),
      read: async () =>
        expect((await host.read({ uri: "note://two" })).result).toMatchObject({
          contents: [{ text: "second" }],
        }),
      prompt: async () => expect((await host.prompt({ prompt: "plain" })).result).toBeDefined(),
    };
    await on.say("echo", { text: "first" });
    for (const first of Object.values(firsts)) {
      await server!.restart();
      await noticed(on, way);
      await first();
      await firsts.call();
    }
  });

  test("the server is down for a while: a clear error, and a call that works after", async () => {
    await using on = await openWay(way);
    await on.say("echo", { text: "first" });
    await on.server!.stop();
    await noticed(on, way);
    const down = await on.host.call({ tool: "echo", arguments: { text: "x" } });
    expect(down.status).toBe("failed");
    if (down.status !== "failed" || down.error === undefined) return;
    expect(down.error.message).toContain('"srv"');
    expect(down.sent).toBe(false);
    on.server!.start();
    expect(await on.say("echo", { text: "after" })).toBe("after");
  });

  test("the server goes away while it answers: the call is uncertain, and not sent again", async () => {
    await using on = await openWay(way);
    await on.host.tools();
    const calling = on.host.call({ tool: "hang" });
    await waitFor(() => callsOf(on, "hang") === 1, "the call");
    await on.server!.restart();
    expect(await calling).toMatchObject({ status: "uncertain", error: { code: "uncertain" } });
    expect(await on.say("echo", { text: "after" })).toBe("after");
    expect(callsOf(on, "hang")).toBe(1);
  });

  test("the connection of one call is lost", async () => {
    await using on = await openWay(way);
    await on.host.tools();
    const outcome = await on.host.call({ tool: "drop" });
    // A legacy stream is resumed, and brings the answer.
    const isResumed = way.transport === "http" && way.era === "legacy";
    expect(outcome.status).toBe(isResumed ? "completed" : "uncertain");
    expect(callsOf(on, "drop")).toBe(1);
    expect(await on.say("echo", { text: "after" })).toBe("after");
  });
});

function callsOf({ server }: OnWay, tool: string): number {
  return server!.requests.filter(({ message }) => {
    if (message === undefined || !("method" in message)) return false;
    return message.method === "tools/call" && message.params?.["name"] === tool;
  }).length;
}
