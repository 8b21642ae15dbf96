/** Hosts over servers that are reached by a URL: every transport and era, restarts, refusals, and one that is not there. */
import { describe, expect, test } from "bun:test";

import { createHost } from "../../lib/host/create.ts";
import type { Host } from "../../lib/host/types.ts";
import { type RemoteServer, serveRemote } from "../fixtures/remote/server.ts";
import { echo, hostOf, kinds, restartable } from "./remote-kit.ts";

/** A link that holds a connection is told of its end: until then a call would be lost on it. */
async function restart(server: RemoteServer, host: Host): Promise<void> {
  await server.restart();
  if (server.url.endsWith("/sse") || server.url.startsWith("ws"))
    while (host.servers()[0]?.state === "ready") await Bun.sleep(2);
}

describe.each(kinds)("%s", (_, options) => {
  test("is found from a URL, and used", async () => {
    await using server = await serveRemote(options);
    await using host = await hostOf(server);
    expect((await host.tools()).tools.map(({ tool }) => tool)).toContain("echo");
    expect(await echo(host, "hi")).toBe("hi");
    const era = options.era === "legacy" || options.transport === "sse" ? "legacy" : "modern";
    expect(host.servers()).toMatchObject([{ state: "ready", era }]);
  });
});

describe.each(restartable)("%s", (_, options) => {
  test("is restarted between calls, and nobody notices", async () => {
    await using server = await serveRemote(options);
    await using host = await hostOf(server);
    expect(await echo(host, "before")).toBe("before");
    await restart(server, host);
    expect(await echo(host, "after")).toBe("after");
    await restart(server, host);
    expect((await host.tools()).failed).toEqual([]);
  });

  test("is connected anew once for many calls that find it restarted", async () => {
    await using server = await serveRemote(options);
    await using host = await hostOf(server, options.transport);
    await host.tools();
    await restart(server, host);
    const before = server.methods().filter((method) => method === "initialize").length;
    const calls = Array.from({ length: 20 }, (__, i) => echo(host, `${i}`));
    expect(await Promise.all(calls)).toEqual(calls.map((__, i) => `${i}`));
    const greetings = server.methods().filter((method) => method === "initialize").length - before;
    expect(greetings).toBe(host.servers()[0]?.era === "legacy" ? 1 : 0);
  });
});

test("one refusal fails its call alone", async () => {
  // B038
  let calls = 0;
  await using server = await serveRemote({
    transport: "http",
    intercept: ({ message }) =>
      message !== undefined &&
      "method" in message &&
      message.method === "tools/call" &&
      ++calls === 3
        ? new Response("busy", { status: 503 })
        : undefined,
  });
  await using host = await hostOf(server);
  await host.tools();
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, (_, i) => host.call({ tool: "echo", arguments: { text: `${i}` } })),
  );
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => "completed"),
    expect.any(String),
  ]);
  expect(await echo(host, "later")).toBe("later");
  expect(server.methods().filter((method) => method === "initialize")).toHaveLength(1);
});

test("a server that was not there is tried again by the next call, without a pause", async () => {
  await using server = await serveRemote({ transport: "http" });
  await server.stop();
  await using host = await hostOf(server);
  for (let i = 0; i < 8; i++) {
    const { failed } = await host.tools();
    expect(failed[0]?.error).toMatchObject({
      code: "server_start",
      facts: { errno: "ECONNREFUSED" },
    });
  }
  server.start();
  expect(await echo(host, "hi")).toBe("hi");
});

test("a file of certificates that is not there is an error of the config", async () => {
  await using host = await createHost({
    servers: { far: { url: "https://localhost:1/mcp", tls: { ca: "/nowhere/ca.pem" } } },
  });
  const { failed } = await host.tools();
  expect(failed[0]?.error).toMatchObject({ code: "config", facts: { file: "/nowhere/ca.pem" } });
});
