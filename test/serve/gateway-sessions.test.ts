/** Sessions of the gateway: whose they are, how many there may be, how they end, and their streams. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import {
  answerTo,
  collect,
  enveloped,
  full,
  gatewayOver,
  modernInit,
  session,
  textOf,
  told,
} from "./gateway-kit.ts";

test("sessions belong to their owner: to another they are not there", async () => {
  const tokens = [
    { name: "a", token: "token-of-a" },
    { name: "b", token: "token-of-b", tools: ["s.echo", "add"] },
  ];
  await using kit = gatewayOver({ s: full() }, { tokens });
  const one = await session(kit, { token: "token-of-a" });
  const init = {
    json: { jsonrpc: "2.0", id: 1, method: "ping" },
    headers: { "mcp-session-id": one.id },
  };
  expect((await one.ask(init)).status).toBe(200);
  expect((await kit.ask("/mcp", { ...init, token: "token-of-b" })).status).toBe(404);
  expect((await kit.ask("/mcp", init)).status).toBe(401);
  const other = await session(kit, { token: "token-of-b" });
  const list = answerTo(await told(await other.request("tools/list")));
  expect(list?.result.tools.map(({ name }: { name: string }) => name)).toEqual(["echo", "add"]);
  expect(textOf(answerTo(await told(await other.call("echo", { text: "mine" }))))).toBe("mine");
  const hidden = answerTo(await told(await other.call("slow")));
  expect(hidden?.error).toMatchObject({ code: -32602, message: 'no tool is called "slow"' });
  const uris = answerTo(await told(await other.request("resources/list")))?.result.resources;
  expect(uris).toEqual([]);
  const read = answerTo(await told(await other.request("resources/read", { uri: "note://one" })));
  expect(read?.error?.code).toBe(-32602);
  const prompt = answerTo(await told(await other.request("prompts/get", { name: "plain" })));
  expect(prompt?.error?.code).toBe(-32602);
});

test("sessions are bounded: one that is quiet makes room, and one that is at work does not", async () => {
  await using kit = gatewayOver({ s: full() }, { gateway: { sessionsMax: 2 } });
  const [one, other] = [await session(kit), await session(kit)];
  const working = one.call("slow", { steps: 1, ms: 1500 });
  await waitFor(() => kit.logged.some(({ text }) => text === "tools/call of slow is sent"));
  const third = await session(kit);
  expect((await other.request("ping")).status).toBe(404);
  const streaming = collect(await third.ask({ headers: { accept: "text/event-stream" } }));
  const fourth = await kit.ask("/mcp", {
    json: { jsonrpc: "2.0", id: 1, method: "initialize", params: {} },
  });
  expect([fourth.status, fourth.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(textOf(answerTo(await told(await working)))).toBe("done after 1 steps");
  expect(streaming).toEqual([]);
});

test("sessions end when they were idle for long", async () => {
  let now = 1_000_000;
  await using kit = gatewayOver({ s: full() }, { steady: () => now, gateway: { idleMs: 60_000 } });
  const [one, other] = [await session(kit), await session(kit)];
  now += 50_000;
  expect((await one.request("ping")).status).toBe(200);
  now += 50_000;
  expect((await one.request("ping")).status).toBe(200);
  expect((await other.request("ping")).status).toBe(404);
});

test("a session is idle from the end of its stream on: a client that lost that comes back", async () => {
  let [now, looked] = [1_000_000, 0];
  const steady = () => ((looked += 1), now);
  await using kit = gatewayOver({ s: full() }, { steady, gateway: { idleMs: 600 } });
  const one = await session(kit);
  const leaving = new AbortController();
  const headers = { accept: "text/event-stream" };
  expect((await one.ask({ headers, signal: leaving.signal })).status).toBe(200);
  now += 3_600_000;
  const before = looked;
  await waitFor(() => looked > before);
  leaving.abort();
  await waitFor(() => kit.served.context.streams.size === 0);
  expect((await one.request("ping")).status).toBe(200);
  now += 600;
  expect((await one.request("ping")).status).toBe(404);
});

test("a clock that jumps ends no session, either way", async () => {
  let jumpMs = 0;
  const now = () => Date.now() + jumpMs;
  await using kit = gatewayOver({ s: full() }, { now, gateway: { idleMs: 60_000 } });
  const one = await session(kit);
  for (jumpMs of [365 * 86_400_000, 0, -86_400_000])
    expect((await one.request("ping")).status, `${jumpMs} ms`).toBe(200);
});

test("B023 a stream that is opened again takes the place of the first", async () => {
  await using kit = gatewayOver({ s: full() });
  const one = await session(kit);
  const first = await one.ask({ headers: { accept: "text/event-stream" } });
  const second = collect(await one.ask({ headers: { accept: "text/event-stream" } }));
  expect(await told(first)).toEqual([]);
  await told(await one.request("tools/list"));
  await told(await one.call("change", { list: "tools" }));
  await waitFor(() => second.length > 0);
});

test("changes while there is no stream are told once there is one", async () => {
  await using kit = gatewayOver({ s: full() });
  const one = await session(kit);
  await told(await one.request("tools/list"));
  await told(await one.call("change", { list: "tools" }));
  await Bun.sleep(100);
  const heard = collect(await one.ask({ headers: { accept: "text/event-stream" } }));
  await waitFor(() => heard.length > 0);
  expect(heard[0]?.method).toBe("notifications/tools/list_changed");
});

test("a subscription of a modern client ends in order when we stop", async () => {
  const kit = gatewayOver({ s: full() });
  const params = { notifications: { resourceSubscriptions: ["note://one", "none://"] } };
  const listening = collect(
    await kit.ask("/mcp/s", modernInit("subscriptions/listen", params as object)),
  );
  await waitFor(() => listening.length > 0);
  expect(listening[0]?.params.notifications.resourceSubscriptions).toContain("note://one");
  const other = kit.ask("/mcp/s", {
    ...modernInit("tools/call", { name: "touch" }),
    json: {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: enveloped({ name: "touch", arguments: { uri: "note://one" } }),
    },
  });
  await told(await other);
  await waitFor(() => listening.length > 1);
  await kit[Symbol.asyncDispose]();
  await waitFor(() => listening.length > 2);
  expect(listening.at(-1)).toMatchObject({
    id: 1,
    result: { resultType: "complete", _meta: { "io.modelcontextprotocol/subscriptionId": 1 } },
  });
});
