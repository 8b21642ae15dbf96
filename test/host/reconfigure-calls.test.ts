/** Calls that run while a host gets other servers: they go on, or are told why they end. */
import { describe, expect, test } from "bun:test";

import type { ServerConfig } from "../../lib/config/types.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { call, entry, isAlive, open, type Opened } from "./reconfigure-kit.ts";

/** A call of the tool was handed to its server. */
async function begun({ events }: Opened, tool: string): Promise<void> {
  await waitFor(async () =>
    events.some((event) => event.type === "call_start" && event.tool === tool),
  );
}

describe("what runs", () => {
  test("64 calls on one server go on while the other comes, changes and goes", async () => {
    await using it = open([entry("a")]);
    const running = Array.from({ length: 64 }, () => call(it, "a/wait", { ms: 400 }));
    await begun(it, "wait");
    await it.change([entry("a"), entry("b")]);
    expect(await call(it, "b_echo")).toBe("{}");
    await it.change([entry("a"), entry("b", {}, { env: { X: "1" } })]);
    expect(await call(it, "b_echo")).toBe("{}");
    await it.change([entry("a")]);
    expect(new Set(await Promise.all(running))).toEqual(new Set(["waited"]));
  });

  test("calls on a server that goes may end first", async () => {
    await using it = open([entry("a"), entry("b")]);
    await call(it, "b_echo");
    const running = call(it, "b_wait", { ms: 200 });
    await begun(it, "wait");
    await it.change([entry("a")]);
    expect(await running).toBe("waited");
  });

  test.each([
    ["was taken out of the config", [entry("a")]],
    ["was replaced by its new entry in the config", [entry("a"), entry("b", {}, { cwd: "/" })]],
  ])("what does not end in time is told why: it %s", async (why, next) => {
    await using it = open([entry("a"), entry("b")]);
    await call(it, "b_echo");
    const running = it.host.call({ tool: "b_silent" });
    await begun(it, "silent");
    await it.change(next, [], 50);
    const { status, error } = await running;
    // Nobody knows what came of it.
    expect(status).toBe("uncertain");
    expect(error?.message).toStartWith(`server "b" ${why} while it was answering tools/call`);
  });

  test("B074: one process of a server at a time, and the old one is gone", async () => {
    await using folder = await tempDir();
    const starts = folder.file("starts");
    await using it = open([entry("a", { starts })]);
    const old = Number(await call(it, "a/pid"));
    const running = call(it, "a/wait", { ms: 300 });
    await begun(it, "wait");
    await it.change([entry("a", { starts }, { env: { X: "1" } })]);
    const next = call(it, "a/pid");
    await Bun.sleep(50);
    expect(await Bun.file(starts).text()).toBe(".");
    expect(await running).toBe("waited");
    expect(Number(await next)).not.toBe(old);
    expect(isAlive(old)).toBe(false);
    for (let round = 0; round < 3; round++)
      await it.change([entry("a", { starts }, { env: { X: `${round + 2}` } })]);
    expect(await Bun.file(starts).text()).toBe("..");
  });

  test("the host ends while calls still have their time: nothing is left", async () => {
    let pid: number;
    {
      await using it = open([entry("a")]);
      pid = Number(await call(it, "a/pid"));
      void it.host.call({ tool: "a/silent" });
      await begun(it, "silent");
      await it.change([]);
    }
    await waitFor(async () => !isAlive(pid));
  });
});

describe("a server that is reached", () => {
  test.each(["legacy", "modern"] as const)(
    "is reached anew by its new entry at once, while calls of the old one end (%s)",
    async (era) => {
      await using far = await serveRemote({ transport: "http", era });
      const reached = (token: string) =>
        ({
          kind: "http",
          name: "far",
          origin: { label: "test", kind: "named" },
          written: {},
          protocol: "auto",
          lifecycle: "lazy",
          transport: "auto",
          url: far.url,
          headers: { "x-token": token },
        }) as ServerConfig;
      await using it = open([reached("old"), entry("b")]);
      const running = call(it, "far_slow", { steps: 4, ms: 100 });
      await waitFor(() => far.methods().includes("tools/call"));
      expect(await it.change([reached("new"), entry("b")])).toMatchObject({ changed: ["far"] });
      expect(await call(it, "far_add", { a: 2, b: 40 })).toBe("42");
      expect(far.requests.at(-1)?.headers["x-token"]).toBe("new");
      expect(await running).toContain("4");
    },
  );
});
