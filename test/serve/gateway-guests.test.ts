/** Whose a server is: what clients of the gateway have for themselves, what in common, and how many of them there may be. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { waitFor } from "../processes.ts";
import { answerTo, collect, full, gatewayOver, session, textOf, told } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";
import type { Fixture, ServedHost } from "./kit.ts";

const program = join(import.meta.dir, "../fixtures/gateway/asker.ts");
const asker = (more: Fixture = {}): Fixture => ({ args: [program], ...more });
const roots = { roots: { listChanged: true } };

type Client = Awaited<ReturnType<typeof session>>;

/** What a server has seen of its client. */
async function seen(
  client: Client,
  tool = "seen",
): Promise<{ pid: number; capabilities: object; seen: Told[] }> {
  return JSON.parse(textOf(answerTo(await told(await client.call(tool, {}, "seen")), "seen")));
}

const pidOf = async (client: Client, tool?: string) => (await seen(client, tool)).pid;

const levels = async (client: Client) =>
  (await seen(client)).seen.map(({ params }) => params.level);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** How many processes there were. */
const started = ({ logged }: ServedHost) =>
  logged.filter(({ text }) => text.startsWith("started: pid")).length;

const guestsOf = ({ served }: ServedHost) => served.context.guests.size;

/** The pids that two plain clients and two that answer see. */
async function pids(fixture: Fixture) {
  await using kit = gatewayOver({ s: fixture });
  await kit.served.context.discovery.done;
  const plain = [await session(kit), await session(kit)];
  const asked = [
    await session(kit, { capabilities: roots }),
    await session(kit, { capabilities: roots }),
  ];
  const capabilities = await Promise.all(
    [...plain, ...asked].map(async (one) => (await seen(one)).capabilities),
  );
  return {
    plain: [await pidOf(plain[0]!), await pidOf(plain[1]!)],
    asked: [await pidOf(asked[0]!), await pidOf(asked[1]!)],
    capabilities,
  };
}

describe("share", () => {
  test("by default who answers has a process of its own, and the others have one in common", async () => {
    const { plain, asked, capabilities } = await pids(asker());
    expect(plain[0]).toBe(plain[1]!);
    expect(new Set([...plain, ...asked]).size).toBe(3);
    expect(capabilities).toEqual([{}, {}, roots, roots]);
  });

  test("client: each has its own", async () => {
    const { plain, asked, capabilities } = await pids(asker({ share: "client" }));
    expect(new Set([...plain, ...asked]).size).toBe(4);
    expect(capabilities).toEqual([{}, {}, roots, roots]);
  });

  test("all: there is one, which asks nobody", async () => {
    const { plain, asked, capabilities } = await pids(asker({ share: "all" }));
    expect(new Set([...plain, ...asked]).size).toBe(1);
    expect(capabilities).toEqual([{}, {}, {}, {}]);
  });

  test("call: each call has its own", async () => {
    const { plain, asked, capabilities } = await pids(asker({ share: "call" }));
    expect(new Set([...plain, ...asked]).size).toBe(4);
    expect(capabilities).toEqual([{}, {}, roots, roots]);
  });

  test("a modern server is shared, and each request says who answers", async () => {
    await using kit = gatewayOver({ s: { ...full("modern"), lifecycle: "eager" } });
    const client = await session(kit, { capabilities: roots });
    const all = collect(await client.call("roots"));
    await waitFor(() => all.length > 0);
    await client.answer(all[0]?.id, { result: { roots: [{ uri: "file:///mine" }] } });
    await waitFor(() => answerTo(all) !== undefined);
    expect(JSON.parse(textOf(answerTo(all)))).toEqual({ roots: [{ uri: "file:///mine" }] });
    const plain = await session(kit);
    expect(answerTo(await told(await plain.call("roots")))?.error).toBeDefined();
    expect(started(kit)).toBe(1);
    expect(guestsOf(kit)).toBe(0);
  });

  test("one server that is for one client alone leaves the others in common", async () => {
    await using kit = gatewayOver({ a: asker({ share: "client" }), b: asker() });
    const [one, other] = [await session(kit), await session(kit)];
    expect(await pidOf(one, "a_seen")).not.toBe(await pidOf(other, "a_seen"));
    expect(await pidOf(one, "b_seen")).toBe(await pidOf(other, "b_seen"));
    const only = await session(kit, { path: "/mcp/b" });
    expect(await pidOf(only)).toBe(await pidOf(one, "b_seen"));
    expect(guestsOf(kit)).toBe(2);
  });
});

test("/metrics tells how many guests there are", async () => {
  await using kit = serveOver({ s: asker() });
  const client = await session(kit, { capabilities: roots });
  const gauge = async () =>
    (await (await kit.ask("/metrics")).text()).match(/^mcphost_guests .*$/m)?.[0];
  expect(await gauge()).toBe("mcphost_guests 1");
  await client.ask({ method: "DELETE" });
  await waitFor(async () => (await gauge()) === "mcphost_guests 0");
});

describe("guests", () => {
  test("are bounded, and end with their sessions", async () => {
    await using kit = gatewayOver({ s: asker() }, { guestsMax: 1 });
    const one = await session(kit, { capabilities: roots });
    const pid = await pidOf(one);
    collect(await one.ask({ headers: { accept: "text/event-stream" } }));
    const initialize = {
      json: {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: roots },
      },
    };
    const refused = await kit.ask("/mcp", initialize);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(((await refused.json()) as any).error.message).toContain("no more for now");
    const plain = await session(kit);
    expect(await pidOf(plain)).not.toBe(pid);
    expect(guestsOf(kit)).toBe(1);
    await one.ask({ method: "DELETE" });
    await waitFor(() => !isAlive(pid));
    await waitFor(() => guestsOf(kit) === 0);
    expect((await kit.ask("/mcp", initialize)).status).toBe(200);
  });

  test("one that is quiet makes room for another", async () => {
    await using kit = gatewayOver({ s: asker() }, { guestsMax: 2 });
    const [one, other] = [
      await session(kit, { capabilities: roots }),
      await session(kit, { capabilities: roots }),
    ];
    const pid = await pidOf(one);
    // It is here: whoever listens is not quiet.
    collect(await other.ask({ headers: { accept: "text/event-stream" } }));
    const third = await session(kit, { capabilities: roots });
    expect(await pidOf(third)).not.toBe(pid);
    expect((await one.request("ping")).status).toBe(404);
    expect((await other.request("ping")).status).toBe(200);
    await waitFor(() => !isAlive(pid));
  });

  test("stop what was not used for its idle time, and start it again", async () => {
    await using kit = gatewayOver({ s: asker({ idleMs: 150 }) });
    const client = await session(kit, { capabilities: roots });
    const pid = await pidOf(client);
    await waitFor(() => !isAlive(pid));
    expect(await pidOf(client)).not.toBe(pid);
  });

  test("leave nothing behind when all ends", async () => {
    const kit = gatewayOver({ s: asker() });
    const clients = await Promise.all(
      [1, 2, 3].map(async () => await session(kit, { capabilities: roots })),
    );
    const all = await Promise.all(clients.map(async (client) => await pidOf(client)));
    await kit[Symbol.asyncDispose]();
    expect(all.filter(isAlive)).toEqual([]);
  });
});

describe("what a client tells its servers", () => {
  test("reaches its own alone: that its roots changed", async () => {
    await using kit = gatewayOver({ s: asker() });
    const [one, other] = [
      await session(kit, { capabilities: roots }),
      await session(kit, { capabilities: roots }),
    ];
    await Promise.all([seen(one), seen(other)]);
    await one.notify("notifications/roots/list_changed");
    await waitFor(async () => (await seen(one)).seen.length === 1);
    expect((await seen(one)).seen[0]?.method).toBe("notifications/roots/list_changed");
    expect((await seen(other)).seen).toEqual([]);
  });

  test("is its level of logs, exactly: none before it says one, to those that start later too", async () => {
    await using kit = gatewayOver({ s: asker({ idleMs: 300 }) });
    const [one, other] = [
      await session(kit, { capabilities: roots }),
      await session(kit, { capabilities: roots }),
    ];
    const pid = await pidOf(one);
    await told(await one.request("logging/setLevel", { level: "error" }));
    await told(await one.request("logging/setLevel", { level: "debug" }));
    expect(await levels(one)).toEqual(["error", "debug"]);
    await waitFor(() => !isAlive(pid));
    expect(await levels(one)).toEqual(["debug"]);
    expect(await levels(other)).toEqual([]);
  });
});

test("what its own servers log is told to a client whole, and to nobody else", async () => {
  await using kit = gatewayOver({ s: asker() });
  const clients = [
    await session(kit, { capabilities: roots }),
    await session(kit, { capabilities: roots }),
    await session(kit),
  ];
  const aside = await Promise.all(
    clients.map(async (client) =>
      collect(await client.ask({ headers: { accept: "text/event-stream" } })),
    ),
  );
  const log = { method: "notifications/message", params: { level: "debug", data: { a: 1 } } };
  const [one] = clients;
  const [first, answer] = await told(await one!.call("tell", log));
  expect(first).toEqual({ jsonrpc: "2.0", ...log });
  expect(answer?.result).toBeDefined();
  for (const client of clients.slice(1)) await told(await client.call("seen"));
  expect(aside).toEqual([[], [], []]);
  // Beside all calls, too: those of the server in common are for who has no other.
  await told(await one!.call("tell_later", log));
  await waitFor(() => aside[0]!.length > 0);
  const warning = { ...log, params: { level: "warning", data: "all" } };
  await told(await clients[2]!.call("tell_later", warning));
  await waitFor(() => aside[2]!.length > 0);
  expect(aside).toEqual([[{ jsonrpc: "2.0", ...log }], [], [{ jsonrpc: "2.0", ...warning }]]);
});
