/** Whoever waits for an answer hears that the call waits for approval, again and again until it does not. */
import { describe, expect, test } from "bun:test";

import type { ApprovalKeeper } from "../../lib/host/gate-types.ts";
import { tellWaiting } from "../../lib/serve/waiting-news.ts";
import { waitFor } from "../processes.ts";
import { answerTo, collect, gatewayOver, modernInit, session } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";
import { eventsOf, featureFull } from "./rest-kit.ts";

const call = { id: "12345678-90ab", tool: "slow" };
const text = "waits for approval: mcphost approvals approve 12345678";

describe("tellWaiting", () => {
  test("tells at once and again, by numbers that grow and leave room for all that begin at 0", async () => {
    const told: { progress: number; message?: string }[] = [];
    const logged: unknown[] = [];
    const waiting = tellWaiting(call, {
      everyMs: 2,
      onProgress: (progress) => told.push(progress),
      onLog: (params) => logged.push(params),
    });
    expect(told).toHaveLength(1);
    await waitFor(() => told.length > 4);
    waiting[Symbol.dispose]();
    const count = told.length;
    const numbers = told.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(Math.max(...numbers)).toBeLessThan(0);
    expect(told.every(({ message }) => message === text)).toBe(true);
    expect(logged).toEqual([
      { level: "warning", logger: "mcphost", data: expect.stringContaining("slow waits for") },
    ]);
    await Bun.sleep(20);
    expect(told).toHaveLength(count);
  });

  test("whoever wants no progress is told once", () => {
    const logged: unknown[] = [];
    using _waiting = tellWaiting(call, { onLog: (params) => logged.push(params) });
    expect(logged).toHaveLength(1);
  });
});

/** A gateway, or all there is, where `re_slow` is asked about until it is let go. */
function asking(over: typeof gatewayOver = gatewayOver) {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const { promise: approved, resolve: approve } = Promise.withResolvers<void>();
  const keeper: ApprovalKeeper = {
    async settle({ onWaiting }) {
      onWaiting?.();
      onAsked();
      await approved;
      return true;
    },
  };
  const kit = over(featureFull("re", { protocol: "legacy" }), {
    hostOptions: { policy: [{ tools: "slow", do: "ask" }], keeper },
  });
  return { kit, asked, approve };
}

const steps = { steps: 2, ms: 1 };
const waits = expect.stringMatching(/^waits for approval: mcphost approvals approve \w{8}$/);
const of = (all: readonly Told[], method: string) =>
  all.filter((one) => one.method === `notifications/${method}`).map(({ params }) => params);

describe("a client of the gateway", () => {
  test("that gave a token gets progress, and then that of the server; and a warning", async () => {
    const { kit, approve } = asking();
    await using _kit = kit;
    const client = await session(kit);
    const all = collect(await client.call("re_slow", steps, 1, { progressToken: "mine" }));
    await waitFor(() => of(all, "progress").length > 0 && of(all, "message").length > 0);
    expect(of(all, "progress")).toEqual([
      { progressToken: "mine", progress: expect.any(Number), message: waits },
    ]);
    expect(of(all, "message")).toEqual([
      { level: "warning", logger: "mcphost", data: expect.stringContaining("waits for approval") },
    ]);
    approve();
    await waitFor(() => answerTo(all) !== undefined);
    expect(of(all, "progress").slice(1)).toMatchObject([{ progress: 1 }, { progress: 2 }]);
  });

  test("that gave none, and wants errors alone, is told nothing", async () => {
    const { kit, asked, approve } = asking();
    await using _kit = kit;
    const client = await session(kit);
    await client.request("logging/setLevel", { level: "error" }, 2);
    const answer = client.call("re_slow", steps);
    await asked;
    approve();
    const all = collect(await answer);
    await waitFor(() => answerTo(all) !== undefined);
    expect(all).toHaveLength(1);
  });

  test("of the newest revision is told on the stream of its request, as it asked for", async () => {
    const { kit, approve } = asking();
    await using _kit = kit;
    const meta = { progressToken: 7, "io.modelcontextprotocol/logLevel": "warning" };
    const params = { name: "re_slow", arguments: steps };
    const all = collect(await kit.ask("/mcp", modernInit("tools/call", params, { meta })));
    await waitFor(() => of(all, "progress").length > 0 && of(all, "message").length > 0);
    expect(of(all, "progress")).toMatchObject([{ progressToken: 7, message: waits }]);
    approve();
    await waitFor(() => answerTo(all) !== undefined);
  });
});

test("POST /tools with a stream tells of it there, before anything is known of the end", async () => {
  const { kit, approve } = asking(serveOver);
  await using _kit = kit;
  const json = { tool: "re_slow", params: steps, stream: true };
  const answer = await kit.ask("/tools", { json });
  approve();
  const events = await eventsOf(answer);
  expect(events.slice(0, 2)).toEqual([
    { log: { level: "warning", logger: "mcphost", data: expect.stringContaining("waits for") } },
    { progress: { progress: expect.any(Number), message: waits } },
  ]);
  expect(events.at(-1)).toMatchObject({ done: true });
});
