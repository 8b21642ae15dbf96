/** Whose a server is: what clients of the gateway have for themselves, and what in common. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { asker, guestsOf, pidOf, roots, seen } from "./gateway-guests-kit.ts";
import { answerTo, collect, full, gatewayOver, session, textOf, told } from "./gateway-kit.ts";
import { type Fixture, type ServedHost, serveOver } from "./kit.ts";

/** How many processes there were. */
const started = ({ logged }: ServedHost) =>
  logged.filter(({ text }) => text.startsWith("started: pid")).length;

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
