/** Requests of modern clients that nobody comes back to: when they are cancelled, and where they are seen. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { collect, full, gatewayOver, modernInit, textOf } from "./gateway-kit.ts";
import { accept, ask, asking, call, everything, next } from "./input-kit.ts";
import type { ServedHost } from "./kit.ts";

/** How the calls end from now on. */
function ends(kit: ServedHost): string[] {
  const all: string[] = [];
  kit.host.onEvent((event) => {
    if (event.type === "call_end") all.push(`${event.tool} ${event.status}`);
  });
  return all;
}

describe("a call that nobody comes back to", () => {
  test("is cancelled after its time, and its requestState says so", async () => {
    await using kit = gatewayOver({ s: full() }, { gateway: { answerMs: 150 } });
    const ended = ends(kit);
    const params = { name: "ask" };
    const first = await ask(kit, "tools/call", params);
    await waitFor(() => ended.includes("ask cancelled"));
    const late = await ask(
      kit,
      "tools/call",
      next(params, first, () => accept),
    );
    expect(late.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/over|expired/),
    });
  });

  test("whose client leaves before the end is cancelled; what is told until then goes to who waits", async () => {
    await using kit = gatewayOver({ s: asking });
    const ended = ends(kit);
    const params = { name: "hangs" };
    const first = await ask(kit, "tools/call", params, { meta: { progressToken: "one" } });
    const abort = new AbortController();
    const meta = {
      progressToken: "two",
      "io.modelcontextprotocol/clientCapabilities": everything,
    };
    const again = next(params, first, () => accept);
    const init = modernInit("tools/call", again, { meta, signal: abort.signal });
    const heard = collect(await kit.ask("/mcp", init));
    await waitFor(() => heard.length > 0);
    expect(heard[0]?.params).toEqual({ progressToken: "two", progress: 1 });
    abort.abort();
    await waitFor(() => ended.includes("hangs cancelled"));
    expect((await ask(kit, "tools/call", again)).error?.code).toBe(-32602);
  });

  test("is in the list of calls, and is cancelled there", async () => {
    await using kit = gatewayOver({ s: full() });
    const params = { name: "ask" };
    const first = await ask(kit, "tools/call", params);
    const [running] = kit.served.context.calls.list("default");
    expect(running).toMatchObject({ tool: "ask", status: "running", actor: "gateway" });
    expect(kit.served.context.calls.cancel("default", running!.id)).toBe(true);
    const last = await ask(
      kit,
      "tools/call",
      next(params, first, () => accept),
    );
    expect(last.error?.message ?? textOf(last)).toContain("cancelled");
  });

  test("does not hold up the end of the process", async () => {
    const kit = gatewayOver({ s: asking });
    await ask(kit, "tools/call", { name: "both" });
    const { pid } = JSON.parse(textOf(await call(kit, "who")));
    await kit[Symbol.asyncDispose]();
    await waitFor(() => {
      try {
        return process.kill(pid, 0) === undefined;
      } catch {
        return true;
      }
    });
  });
});
