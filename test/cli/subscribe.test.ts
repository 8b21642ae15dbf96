/** Changes that are told: of resources and of lists, over every transport, until Ctrl-C. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import type { RemoteServer } from "../fixtures/remote/server.ts";
import { bunAlone, mcphost, root } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { name, spawned, subscribed, ways } from "./subscribe-kit.ts";

setDefaultTimeout(30_000);

/** Whether a server knows that nobody listens any more: it was told, or the stream was closed. */
function isTold({ methods, requests }: RemoteServer): boolean {
  const listen = requests.find(({ body }) => body.includes("subscriptions/listen"));
  return (
    methods().some((one) => /unsubscribe|cancelled/.test(one)) || listen?.signal.aborted === true
  );
}

test.each(ways.map((way) => [name(way), way] as const))(
  "each change is a line, until Ctrl-C (%s)",
  async (_name, way) => {
    await using it = await subscribed(way, "test://a", "test://b");
    await it.opened(way.era === "modern" ? 1 : 2);
    // A subscription that was asked for is not yet one that was answered.
    await waitFor(() => {
      it.server.state.touch("test://a");
      return it.lines().length > 0;
    }, "a line");
    const before = it.lines().length;
    it.server.state.touch("test://c");
    it.server.state.change("tools");
    it.server.state.touch("test://b");
    await waitFor(() => it.lines().includes("test://b"), "the other one");
    expect(
      it
        .lines()
        .slice(before)
        .filter((line) => line !== "test://a"),
    ).toEqual(["test://b"]);
    it.proc.kill("SIGINT");
    expect(await it.proc.exited).toBe(130);
    await waitFor(() => isTold(it.server), "the end of the subscription");
  },
);

test("without a URI, lists that change are told; as JSON with the server", async () => {
  await using it = await subscribed({ transport: "ws", era: "modern" }, "--json");
  await it.opened();
  it.server.state.change("prompts");
  await it.has(['{"server":"far","type":"list","list":"prompts"}']);
  it.proc.kill("SIGTERM");
  expect(await it.proc.exited).toBe(143);
});

test("resources and lists together", async () => {
  await using it = await subscribed({ transport: "ws", era: "modern" }, "test://a", "--lists");
  await it.opened();
  it.server.state.change("tools");
  it.server.state.touch("test://a");
  await it.has(["tools", "test://a"]);
});

test("over stdio, in both eras", async () => {
  for (const era of ["legacy", "modern"]) {
    const server = [...bunAlone, join(root, "test/fixtures/remote/stdio.ts"), era];
    await using it = await spawned("--log-level", "info", "--", ...server);
    await waitFor(() => it.stderr().includes("subscribed"), it.stderr());
    it.proc.kill("SIGINT");
    expect(await it.proc.exited).toBe(130);
    expect(it.lines()).toEqual([]);
    // That is how it is meant to end.
    expect(it.stderr()).not.toContain("interrupted");
  }
});

test("on a terminal it says that it has begun, and how it ends", async () => {
  const server = [...bunAlone, join(root, "test/fixtures/remote/stdio.ts"), "legacy"];
  await using screen = await mcphost("subscribe", "--", ...server).terminal();
  await screen.shows(/mcphost: listening to "server"; Ctrl-C ends it\r\n/);
  screen.type("\u0003");
  expect(await screen.exited).toBe(130);
  expect(screen.text()).not.toContain("interrupted");
});
