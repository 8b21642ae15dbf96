/** Servers of a gateway client's own: how many there may be, and when they end. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { asker, guestsOf, isAlive, pidOf, roots } from "./gateway-guests-kit.ts";
import { collect, gatewayOver, session } from "./gateway-kit.ts";

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

  test("end with a client that left without a word, though no other ever comes", async () => {
    await using kit = gatewayOver({ s: asker() }, { gateway: { idleMs: 300 } });
    const pid = await pidOf(await session(kit, { capabilities: roots }));
    await waitFor(() => !isAlive(pid));
    await waitFor(() => guestsOf(kit) === 0);
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
