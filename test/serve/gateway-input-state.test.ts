/** What a modern client brings back of an earlier round is good for what it was given for, and nothing else. */
import { describe, expect, test } from "bun:test";

import { full, gatewayOver, textOf } from "./gateway-kit.ts";
import { ask, next } from "./input-kit.ts";

const accept = { action: "accept", content: { name: "Ada" } };
const state = (text: string) => ({ code: -32602, message: expect.stringContaining(text) });

describe.each(["legacy", "modern"] as const)("in front of a %s server", (era) => {
  test("a requestState is good for its own request alone, and as it is", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const params = { name: "ask", arguments: { message: "Who?" } };
    const first = await ask(kit, "tools/call", params);
    const again = next(params, first, () => accept) as { requestState: string };
    const tries = [
      { ...again, requestState: `${again.requestState}-TAMPERED` },
      { ...again, requestState: "AAAA" },
    ];
    for (const one of tries)
      expect((await ask(kit, "tools/call", one)).error).toMatchObject(state("changed"));
    const others = [
      { ...again, arguments: { message: "What?" } },
      { ...again, name: "ask_twice" },
      { ...again, name: "s/ask" },
    ];
    for (const one of others)
      expect((await ask(kit, "tools/call", one)).error).toMatchObject(state("another request"));
    const elsewhere = await ask(kit, "tools/call", again, { path: "/mcp/s" });
    expect(elsewhere.error).toMatchObject(state("another request"));
    expect((await ask(kit, "tools/call", { ...again, requestState: 1 })).error?.code).toBe(-32602);
    expect((await ask(kit, "tools/call", { ...again, inputResponses: [] })).error?.code).toBe(
      -32602,
    );
    const last = await ask(kit, "tools/call", { ...again, arguments: { message: "Who?" } });
    expect(JSON.parse(textOf(last))).toEqual(accept);
  });

  test("a requestState holds for ten minutes", async () => {
    let now = 1_000_000;
    await using kit = gatewayOver({ s: full(era) }, { steady: () => now });
    const params = { name: "ask" };
    const first = await ask(kit, "tools/call", params);
    now += 600_000;
    const late = await ask(
      kit,
      "tools/call",
      next(params, first, () => accept),
    );
    expect(late.error).toMatchObject(state("expired"));
  });

  test("a requestState holds through a jump of the clock", async () => {
    let jumpMs = 0;
    await using kit = gatewayOver({ s: full(era) }, { now: () => Date.now() + jumpMs });
    const params = { name: "ask" };
    const first = await ask(kit, "tools/call", params);
    jumpMs = 365 * 86_400_000;
    const last = await ask(
      kit,
      "tools/call",
      next(params, first, () => accept),
    );
    expect(JSON.parse(textOf(last))).toEqual(accept);
  });

  test("a requestState is its owner's: to another it is none", async () => {
    const tokens = [
      { name: "a", token: "token-of-a" },
      { name: "b", token: "token-of-b" },
    ];
    await using kit = gatewayOver({ s: full(era) }, { tokens });
    const params = { name: "ask" };
    const first = await ask(kit, "tools/call", params, { token: "token-of-a" });
    const again = next(params, first, () => accept);
    const foreign = await ask(kit, "tools/call", again, { token: "token-of-b" });
    expect(foreign.error).toMatchObject(state("none that this mcphost gave to this client"));
    const last = await ask(kit, "tools/call", again, { token: "token-of-a" });
    expect(JSON.parse(textOf(last))).toEqual(accept);
  });
});
