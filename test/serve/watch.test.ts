/** `/health`: servers as they are found, ready and failed, and what is logged of it. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { logFailures } from "../../lib/cli/serve-show.ts";
import type { OpenedHost } from "../../lib/host/opened-types.ts";
import type { HostEvent } from "../../lib/host/types.ts";
import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import { fixture, gone, json, states } from "./watch-kit.ts";

describe("/health", () => {
  test("is 200 at once, with the true state of each server; ?ready waits for the eager ones", async () => {
    await using it = serveOver({
      late: { lifecycle: "eager", startMs: 300 },
      lazy: { startMs: 5000 },
      gone: { ...gone, lifecycle: "eager" },
    });
    const first = await it.ask("/health");
    expect([first.status, await first.json()]).toMatchObject([200, { status: "ok", ready: false }]);
    const early = await it.ask("/health?ready");
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
    await waitFor(async () => (await it.ask("/health?ready")).status === 200);
    const { servers } = await json(it, "/health");
    expect(servers).toMatchObject([
      { name: "late", state: "ready", era: "legacy", tools: 1 },
      { name: "lazy", state: "starting" },
      { name: "gone", state: "failed", error: { code: "server_start" } },
    ]);
    // Where it was looked for is nobody's business.
    expect(JSON.stringify(servers)).not.toContain("/nowhere");
  });

  test("once ready it stays so, whatever ends later", async () => {
    await using it = serveOver({ a: fixture({ lifecycle: "eager" }) });
    await it.served.context.discovery.done;
    await it.host.call({ tool: "a_exit", arguments: {} });
    await waitFor(async () => (await states(it))["a"] === "failed");
    expect((await it.ask("/health?ready")).status).toBe(200);
  });

  test("says that all servers have failed, and is answered all the same", async () => {
    await using it = serveOver({ one: gone, other: gone });
    await it.served.context.discovery.done;
    const answer = await it.ask("/health?ready");
    expect([answer.status, await answer.json()]).toMatchObject([200, { status: "failed" }]);
    await using half = serveOver({ one: gone, other: fixture() });
    await half.served.context.discovery.done;
    expect(await json(half, "/health")).toMatchObject({ status: "ok" });
  });

  test("a stranger hears of no server", async () => {
    await using it = serveOver({ a: {} }, { tokens: [{ name: "me", token: "secret-1" }] });
    expect(await json(it, "/health")).toEqual({ status: "ok", ready: true });
    const whole = await it.ask("/health", { token: "secret-1" });
    expect(await whole.json()).toMatchObject({ servers: [{ name: "a" }] });
    expect((await it.ask("/metrics")).status).toBe(401);
    expect((await it.ask("/events")).status).toBe(401);
    expect((await it.ask("/servers")).status).toBe(401);
  });
});

test("why a server has failed is logged once, and anew once it was ready", () => {
  let tell: ((event: HostEvent) => void) | undefined;
  const onEvent = (watcher: NonNullable<typeof tell>) => {
    tell = watcher;
    return { [Symbol.dispose]() {} };
  };
  const logged: string[] = [];
  using _logging = logFailures(
    { onEvent: onEvent as OpenedHost["onEvent"] },
    ({ text }) => void logged.push(text),
  );
  const enter = (state: "failed" | "starting" | "ready", why?: string) =>
    tell?.({
      type: "server_state",
      server: "a",
      state,
      ...(why !== undefined && { error: new HostError("server_start", why) }),
    });
  for (const why of ["gone", "gone", "broken"]) {
    enter("starting");
    enter("failed", why);
  }
  enter("ready");
  enter("failed", "broken");
  expect(logged).toEqual(["gone", "broken", "broken"]);
  const facts = { stderr: ["Error: no KEY", "    at main (/x.js:1:1)", "Bun v1"] };
  tell?.({
    type: "server_state",
    server: "a",
    state: "failed",
    error: new HostError("server_start", "it ended", { hint: "see its last lines", facts }),
  });
  expect(logged.at(-1)).toBe("it ended; see its last lines\nstderr: Error: no KEY");
});
