/** Servers of their own for modern clients that answer: whose they are, how many there are, and when they end. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { gatewayOver, textOf } from "./gateway-kit.ts";
import { accept, ask, asking, call, next } from "./input-kit.ts";
import type { ServedHost } from "./kit.ts";

/** The process that works for a client, and what it was told of it. */
async function who(kit: ServedHost, options?: Parameters<typeof call>[3]) {
  return JSON.parse(textOf(await call(kit, "who", {}, options)));
}

test("a client that declares nothing shares the server; one that answers has one of its own, told what it can", async () => {
  await using kit = gatewayOver({ s: asking });
  const plain = await who(kit, { capabilities: {} });
  expect(plain.capabilities).toEqual({});
  const own = await who(kit);
  expect(own.capabilities).toEqual({
    elicitation: { form: {}, url: {} },
    sampling: {},
    roots: {},
  });
  expect(own.pid).not.toBe(plain.pid);
  const form = await who(kit, { capabilities: { elicitation: {} } });
  expect(form.capabilities).toEqual({ elicitation: { form: {} } });
  expect(new Set([plain.pid, own.pid, form.pid]).size).toBe(3);
  // One after the other they are at the same server, however they write it.
  const reordered = {
    roots: { listChanged: true },
    sampling: {},
    elicitation: { url: {}, form: {} },
  };
  expect((await who(kit, { capabilities: reordered })).pid).toBe(own.pid);
  expect((await who(kit, { capabilities: { other: {} } })).pid).toBe(plain.pid);
});

test("while one of its calls waits, another of its calls is at another server", async () => {
  await using kit = gatewayOver({ s: asking });
  const { pid } = await who(kit);
  const params = { name: "both" };
  const first = await ask(kit, "tools/call", params);
  const other = await who(kit);
  expect(other.pid).not.toBe(pid);
  const again = next(params, first, () => accept);
  expect(JSON.parse(textOf(await ask(kit, "tools/call", again)))).toEqual([accept, accept]);
  expect((await who(kit)).pid).toBe(pid);
});

test("one that waits for its client is not idle, however long", async () => {
  await using kit = gatewayOver({ s: asking }, { gateway: { guestIdleMs: 40 } });
  const params = { name: "both" };
  const first = await ask(kit, "tools/call", params);
  await Bun.sleep(250);
  const again = next(params, first, () => accept);
  expect(JSON.parse(textOf(await ask(kit, "tools/call", again)))).toEqual([accept, accept]);
});

test("owners do not share them", async () => {
  const tokens = [
    { name: "a", token: "token-of-a" },
    { name: "b", token: "token-of-b" },
  ];
  await using kit = gatewayOver({ s: asking }, { tokens });
  const [a, b] = [await who(kit, { token: "token-of-a" }), await who(kit, { token: "token-of-b" })];
  expect(a.pid).not.toBe(b.pid);
});

test("a server that is to be shared with nobody is each owner's own, whatever a client declares", async () => {
  const tokens = [
    { name: "a", token: "token-of-a" },
    { name: "b", token: "token-of-b" },
  ];
  await using kit = gatewayOver({ s: { ...asking, share: "client" }, t: asking }, { tokens });
  const at = (token: string, path: string) => who(kit, { token, path, capabilities: {} });
  const pids = [await at("token-of-a", "/mcp/s"), await at("token-of-b", "/mcp/s")];
  expect(pids[0].pid).not.toBe(pids[1].pid);
  expect((await at("token-of-a", "/mcp/s")).pid).toBe(pids[0].pid);
  const shared = [await at("token-of-a", "/mcp/t"), await at("token-of-b", "/mcp/t")];
  expect(shared[0].pid).toBe(shared[1].pid);
});

test("are bounded: a request waits for one, and then is told to come again", async () => {
  await using kit = gatewayOver({ s: asking }, { guestsMax: 1, gateway: { guestWaitMs: 300 } });
  const params = { name: "both" };
  const first = await ask(kit, "tools/call", params);
  const busy = await call(kit, "who");
  expect(busy.error).toMatchObject({
    code: -32603,
    data: expect.objectContaining({ busy: true, retryMs: 2000 }),
  });
  const waiting = who(kit);
  const again = next(params, first, () => accept);
  expect(JSON.parse(textOf(await ask(kit, "tools/call", again)))).toEqual([accept, accept]);
  expect(await waiting).toMatchObject({ pid: expect.any(Number) });
  // One that is idle makes room for another client's.
  const form = await who(kit, { capabilities: { elicitation: {} } });
  expect(form.capabilities).toEqual({ elicitation: { form: {} } });
});

test("that nobody uses for a while are closed", async () => {
  await using kit = gatewayOver({ s: asking }, { gateway: { guestIdleMs: 100 } });
  const { pid } = await who(kit);
  await waitFor(() => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
  expect((await who(kit)).pid).not.toBe(pid);
});
