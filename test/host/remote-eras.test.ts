/** Servers by a URL that are of another era by now: which calls are sent once more. */
import { expect, test } from "bun:test";

import { createHost } from "../../lib/host/create.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { answering, echo, hostOf, refused } from "./remote-kit.ts";

test("a call that is refused for its revision is negotiated anew, and sent once more", async () => {
  const error = { code: -32022, message: "no", data: { supported: ["2026-07-28"] } };
  await using server = await serveRemote({
    transport: "http",
    era: "modern",
    intercept: answering("tools/call", (id, count) =>
      count === 1 ? refused(id, error) : undefined,
    ),
  });
  await using host = await hostOf(server);
  expect(await echo(host, "hi")).toBe("hi");
  const once = ["server/discover", "tools/list", "tools/call"];
  expect(server.methods()).toEqual([...once, "server/discover", "tools/call"]);
});

test.each(["legacy", "modern"] as const)(
  "a server that is replaced by one of the other era (%s before) is used on",
  async (before) => {
    await using old = await serveRemote({ transport: "http", era: before });
    const after = before === "legacy" ? "modern" : "legacy";
    await using young = await serveRemote({ transport: "http", era: after });
    let now = old;
    await using place = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ method, headers, body }) => fetch(now.url, { method, headers, body }),
    });
    await using host = await createHost({ servers: { far: { url: place.url.href } } });
    expect(await echo(host, "a")).toBe("a");
    now = young;
    // That one may be told as it was refused.
    expect(await echo(host, "b")).toMatch(/^failed: .*(_meta lacks|Session-Id header is required)/);
    expect(await echo(host, "c")).toBe("c");
    expect(host.servers()).toMatchObject([{ state: "ready", era: after }]);
  },
);

test("a call that a modern server may have done is not repeated, though it is legacy by now", async () => {
  let isOld = false;
  const others = ["server/discover", "tools/call"];
  await using server = await serveRemote({
    transport: "http",
    era: "both",
    intercept: ({ message, headers }) => {
      const isModern = headers["mcp-method"] !== undefined;
      if (!isOld || !isModern || message === undefined || !("method" in message)) return undefined;
      if (!others.includes(message.method) || !("id" in message)) return undefined;
      return refused(message.id, { code: -32000, message: "no session" });
    },
  });
  await using host = await hostOf(server);
  expect(await echo(host, "a")).toBe("a");
  isOld = true;
  const outcome = await host.call({ tool: "echo", arguments: { text: "b" } });
  expect(outcome).toMatchObject({ status: "failed", error: { code: "rpc_error" } });
  expect(await echo(host, "c")).toBe("c");
  expect(host.servers()).toMatchObject([{ era: "legacy" }]);
});

test("a legacy server that is modern by now says so itself: nothing is noticed", async () => {
  let isNew = false;
  const error = { code: -32022, message: "no", data: { supported: ["2026-07-28"] } };
  await using server = await serveRemote({
    transport: "http",
    era: "both",
    intercept: ({ message, headers }) => {
      if (message === undefined || !("id" in message)) return undefined;
      if (headers["mcp-method"] !== undefined)
        return isNew ? undefined : refused(message.id, { code: -32601, message: "no" });
      return isNew ? refused(message.id, error) : undefined;
    },
  });
  await using host = await hostOf(server);
  expect(await echo(host, "a")).toBe("a");
  isNew = true;
  expect(await echo(host, "b")).toBe("b");
  expect(host.servers()).toMatchObject([{ era: "modern" }]);
});

test.each([-32020, -32021, -32022])(
  "a legacy server may use the code %p for a call that it did: it is not made again",
  async (code) => {
    await using server = await serveRemote({
      transport: "http",
      intercept: answering("tools/call", (id) => refused(id, { code, message: "mine" }, 200)),
    });
    await using host = await hostOf(server);
    const outcome = await host.call({ tool: "echo", arguments: { text: "hi" } });
    expect(outcome).toMatchObject({ status: "failed", error: { facts: { rpcCode: code } } });
    expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(1);
  },
);
