/** What gateway clients tell servers of their own, and what those log. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { asker, type Client, isAlive, pidOf, roots, seen } from "./gateway-guests-kit.ts";
import { collect, gatewayOver, session, told } from "./gateway-kit.ts";

const levels = async (client: Client) =>
  (await seen(client)).seen.map(({ params }) => params.level);

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
