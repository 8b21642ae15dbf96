/** Clients with servers of their own on links in both directions, what they follow, and servers that are far away. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { serveRemote } from "../fixtures/remote/server.ts";
import { mcphost, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import {
  answerTo,
  collect,
  enveloped,
  full,
  gatewayOver,
  session,
  textOf,
  told,
} from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";
import type { Fixture, ServedHost } from "./kit.ts";

const program = join(import.meta.dir, "../fixtures/gateway/asker.ts");
const roots = { roots: { listChanged: true } };
const params = { protocolVersion: "2025-11-25", capabilities: roots };
const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const seen = { name: "asker_seen", arguments: {} };

describe("the gateway on stdio has one client, and one process for it", () => {
  const greeted = (capabilities: object) =>
    line({ id: 1, method: "initialize", params: { ...params, capabilities } }) +
    line({ method: "notifications/initialized" }) +
    line({ id: 2, method: "tools/list" }) +
    line({ id: 3, method: "tools/call", params: seen });

  test.each([
    ["that answers", greeted(roots), roots],
    ["that answers nothing", greeted({}), {}],
    ["of the modern era", line({ id: 3, method: "tools/call", params: enveloped(seen) }), {}],
  ])("a client %s", async (_who, said, declared) => {
    await using home = await tempDir();
    const starts = home.file("starts");
    const args = [program, JSON.stringify({ starts })];
    const config = { mcpServers: { asker: { command: process.execPath, args } } };
    const run = await mcphost("gateway", "--config-json", JSON.stringify(config)).stdin(said).run();
    const all = run.stdout
      .trimEnd()
      .split("\n")
      .map((one) => JSON.parse(one) as Told);
    expect(JSON.parse(textOf(answerTo(all, 3))).capabilities).toEqual(declared);
    await nothingLeft(starts);
    expect((await Bun.file(starts).text()).trimEnd().split("\n")).toHaveLength(1);
  });
});

/** A client over WebSocket. */
async function socket(kit: ServedHost) {
  const url = new URL("/ws", kit.served.url);
  url.protocol = "ws:";
  const ws = new WebSocket(url);
  const all: Told[] = [];
  ws.addEventListener("message", ({ data }) => void all.push(JSON.parse(String(data)) as Told));
  await new Promise((resolve) => ws.addEventListener("open", resolve, { once: true }));
  return {
    all,
    say: (message: object) => ws.send(line(message)),
    answered: async (id: number) => {
      await waitFor(() => answerTo(all, id) !== undefined);
      return answerTo(all, id);
    },
    [Symbol.dispose]: () => ws.close(),
  };
}

describe("over WebSocket", () => {
  test("one client too many is refused, and not served by what others have in common", async () => {
    await using kit = gatewayOver({ s: { args: [program] } }, { guestsMax: 1 });
    using one = await socket(kit);
    one.say({ id: 1, method: "initialize", params });
    expect((await one.answered(1))?.result).toBeDefined();
    using other = await socket(kit);
    other.say({ id: 1, method: "initialize", params });
    other.say({ id: 2, method: "tools/list" });
    expect((await other.answered(1))?.error).toMatchObject({
      code: -32603,
      message: expect.stringContaining("1 clients have servers of their own"),
      data: { busy: true },
    });
    expect((await other.answered(2))?.error?.code).toBe(-32600);
    one[Symbol.dispose]();
    await waitFor(() => kit.served.context.guests.size === 0);
    other.say({ id: 3, method: "initialize", params });
    expect((await other.answered(3))?.result).toBeDefined();
  });

  test("one that greets again begins again: its questions are taken back", async () => {
    await using kit = gatewayOver({ s: { args: [program] } });
    using client = await socket(kit);
    client.say({ id: 1, method: "initialize", params });
    const call = { name: "s_ask", arguments: { method: "roots/list" } };
    client.say({ id: 2, method: "tools/call", params: call });
    await waitFor(() => client.all.some(({ method }) => method === "roots/list"));
    client.say({ id: 3, method: "initialize", params });
    expect((await client.answered(3))?.result).toBeDefined();
    await waitFor(() => kit.served.context.guests.size === 1);
    client.say({ id: 4, method: "tools/call", params: { ...seen, name: "s_seen" } });
    expect(JSON.parse(textOf(await client.answered(4))).seen).toEqual([]);
  });
});

describe("what is followed", () => {
  const touched = async (
    fixture: Fixture,
    tell: (own: Told[], elsewhere: Told[], clients: Client[]) => Promise<void>,
  ) => {
    await using kit = gatewayOver({ s: fixture });
    const clients = [await session(kit, { capabilities: roots }), await session(kit)];
    const [own = [], elsewhere = []] = await Promise.all(
      clients.map(async (client) =>
        collect(await client.ask({ headers: { accept: "text/event-stream" } })),
      ),
    );
    for (const client of clients)
      await told(await client.request("resources/subscribe", { uri: "note://one" }));
    await tell(own, elsewhere, clients);
  };
  type Client = Awaited<ReturnType<typeof session>>;

  test("on servers of one's own is told to their client alone", async () => {
    await touched(full("legacy"), async (own, elsewhere, [one]) => {
      await told(await one!.call("touch", { uri: "note://one" }));
      await waitFor(() => own.length > 0);
      expect(own).toMatchObject([{ method: "notifications/resources/updated" }]);
      await told(await one!.call("change", { list: "tools" }));
      await waitFor(() => own.length > 1);
      expect(own[1]?.method).toBe("notifications/tools/list_changed");
      await Bun.sleep(100);
      expect(elsewhere).toEqual([]);
    });
  });

  test.each(["legacy", "modern"] as const)(
    "on a %s server in common goes on for one when the other has left it",
    async (era) => {
      await touched({ ...full(era), share: "all" }, async (own, elsewhere, [one, other]) => {
        await told(await one!.call("touch", { uri: "note://one" }));
        await waitFor(() => own.length > 0 && elsewhere.length > 0);
        await told(await one!.request("resources/unsubscribe", { uri: "note://one" }));
        await told(await other!.call("touch", { uri: "note://one" }));
        await waitFor(() => elsewhere.length > 1);
        expect(own).toHaveLength(1);
      });
    },
  );
});

test.each(["http", "sse", "ws"] as const)(
  "a server over %s gets a link for each client that answers",
  async (transport) => {
    await using remote = await serveRemote({ transport, era: "legacy" });
    const fixture = {
      kind: "http",
      transport,
      url: remote.url,
      headers: {},
      command: undefined,
      args: undefined,
    };
    await using kit = gatewayOver({ s: fixture as never });
    const ask = async (name: string) => {
      const client = await session(kit, { capabilities: roots });
      const all = collect(await client.call("roots"));
      await waitFor(() => all.length > 0);
      expect(all[0]?.method).toBe("roots/list");
      await client.answer(all[0]?.id, { result: { roots: [{ uri: `file:///${name}` }] } });
      await waitFor(() => answerTo(all) !== undefined);
      return JSON.parse(textOf(answerTo(all))) as unknown;
    };
    const answers: unknown = await Promise.all([ask("one"), ask("two")]);
    expect(answers).toEqual(
      ["one", "two"].map((name) => ({ roots: [{ uri: `file:///${name}` }] })),
    );
  },
);
