/** What is remembered of servers that are reached by a URL, and found out when it is wrong. */
import { expect, test } from "bun:test";

import type { Verdict } from "../../lib/client/connect-types.ts";
import { verdictKey } from "../../lib/client/eras.ts";
import type { OpenedHost } from "../../lib/host/opened-types.ts";
import type { OpenHostOptions } from "../../lib/host/option-types.ts";
import { type RemoteServer, serveRemote } from "../fixtures/remote/server.ts";
import { textOf } from "./kit.ts";
import { echo, opened } from "./remote-kit.ts";

/** A command that uses a server, and leaves. */
async function command<T>(
  { url }: RemoteServer,
  verdicts: OpenHostOptions["verdicts"],
  use: (host: OpenedHost) => Promise<T>,
): Promise<T> {
  const host = opened({ url }, verdicts && { verdicts });
  try {
    return await use(host);
  } finally {
    await host.leave();
  }
}

function memory(): NonNullable<OpenHostOptions["verdicts"]> & { kept: Map<string, Verdict> } {
  const kept = new Map<string, Verdict>();
  return {
    kept,
    read: async (key) => kept.get(key),
    write: async (key, verdict) => void (verdict.stale ? kept.delete(key) : kept.set(key, verdict)),
  };
}

test("a modern server that is known costs a list and a call, and the call alone without validation", async () => {
  await using server = await serveRemote({ transport: "http", era: "modern" });
  const verdicts = memory();
  const call = { tool: "echo", arguments: { text: "hi" } };
  await command(server, verdicts, (host) => host.call(call));
  expect(server.methods()).toEqual(["server/discover", "tools/list", "tools/call"]);
  server.requests.length = 0;
  expect(textOf(await command(server, verdicts, (host) => host.call(call)))).toBe("hi");
  expect(server.methods()).toEqual(["tools/list", "tools/call"]);
  server.requests.length = 0;
  const unchecked = { ...call, validate: false };
  expect(textOf(await command(server, verdicts, (host) => host.call(unchecked)))).toBe("hi");
  expect(server.methods()).toEqual(["tools/call"]);
});

test("a modern server that is known and not there has failed, until it answers again", async () => {
  await using server = await serveRemote({ transport: "http", era: "modern" });
  const verdicts = memory();
  await command(server, verdicts, (host) => echo(host, "hi"));
  await server.stop();
  await using host = opened({ url: server.url }, { verdicts });
  const told: string[] = [];
  using _told = host.onEvent((event) => {
    if (event.type === "server_state") told.push(event.state);
  });
  const call = { tool: "far.echo", arguments: { text: "hi" }, validate: false };
  const gone = { state: "failed", error: { facts: { errno: "ECONNREFUSED" } } };
  expect((await host.tools()).failed).toHaveLength(1);
  expect(host.servers()).toMatchObject([gone]);
  expect(await host.call(call)).toMatchObject({ status: "failed" });
  expect(told).toEqual(["starting", "failed"]);
  server.start();
  expect((await host.tools()).failed).toEqual([]);
  expect(host.servers()).toMatchObject([{ state: "ready" }]);
  await server.stop();
  expect(await host.call(call)).toMatchObject({ status: "failed" });
  expect(host.servers()).toMatchObject([gone]);
  server.start();
  expect(textOf(await host.call(call))).toBe("hi");
  expect(told).toEqual(["starting", "failed", "ready", "failed", "ready"]);
});

test.each(["legacy", "modern"] as const)(
  "a server (%s) that is gone by now has failed, until it answers again",
  async (era) => {
    await using server = await serveRemote({ transport: "http", era });
    await using host = opened({ url: server.url });
    expect((await host.tools()).failed).toEqual([]);
    await server.stop();
    const call = { tool: "far.echo", arguments: { text: "hi" } };
    expect(await host.call(call)).toMatchObject({ status: "failed" });
    expect(host.servers()).toMatchObject([{ state: "failed" }]);
    server.start();
    expect(textOf(await host.call(call))).toBe("hi");
    expect(host.servers()).toMatchObject([{ state: "ready" }]);
  },
);

test("a wrong memory is found out by a link of one call, too", async () => {
  await using server = await serveRemote({ transport: "http", era: "legacy" });
  const verdicts = memory();
  const key = verdictKey({ url: server.url, transport: "auto" });
  await verdicts.write(key, { era: "modern", revision: "2026-07-28" });
  await using host = opened({ url: server.url, lifecycle: "per-call" }, { verdicts });
  const call = { tool: "echo", arguments: { text: "hi" }, validate: false };
  expect(textOf(await host.call(call))).toBe("hi");
  expect(verdicts.kept.get(key)).toMatchObject({ era: "legacy" });
  expect(server.methods().filter((method) => method === "initialize")).toHaveLength(1);
});

test.each(["legacy", "modern"] as const)(
  "a server that became %s is found out, and remembered",
  async (era) => {
    const verdicts = memory();
    let port: number;
    {
      await using server = await serveRemote({
        transport: "http",
        era: era === "legacy" ? "modern" : "legacy",
      });
      port = Number(new URL(server.url).port);
      expect(await command(server, verdicts, (host) => echo(host, "one"))).toBe("one");
    }
    await using server = await serveRemote({ transport: "http", era, port });
    expect(await command(server, verdicts, (host) => echo(host, "two"))).toBe("two");
    expect([...verdicts.kept.values()]).toMatchObject([{ era }]);
    server.requests.length = 0;
    expect(await command(server, verdicts, (host) => echo(host, "three"))).toBe("three");
    expect(server.methods()).not.toContain(era === "modern" ? "initialize" : "server/discover");
  },
);

test("HTTP+SSE is remembered, and forgotten when the server has learned another transport", async () => {
  const verdicts = memory();
  let hasLearned = false;
  await using modern = await serveRemote({ transport: "http", era: "modern" });
  await using server = await serveRemote({
    transport: "sse",
    intercept: async ({ method, headers, body }) => {
      if (!hasLearned) return undefined;
      if (method !== "POST") return new Response(null, { status: 405 });
      return await fetch(modern.url, { method, headers, body });
    },
  });
  await command(server, verdicts, (host) => echo(host, "one"));
  expect([...verdicts.kept.values()]).toMatchObject([{ era: "legacy", transport: "sse" }]);
  server.requests.length = 0;
  expect(await command(server, verdicts, (host) => echo(host, "two"))).toBe("two");
  expect(server.requests[0]?.method).toBe("GET");
  hasLearned = true;
  expect(await command(server, verdicts, (host) => echo(host, "three"))).toBe("three");
  expect([...verdicts.kept.values()]).toMatchObject([{ era: "modern" }]);
});
