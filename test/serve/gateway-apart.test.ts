/** Clients of one gateway are apart: what each is told is its own, and what one does is not done to another. */
import { describe, expect, test } from "bun:test";

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
import type { ServedHost } from "./kit.ts";

const eras = ["legacy", "modern"] as const;

/** How many calls of `hang` a fixture server was told to give up. */
async function cancelled(kit: ServedHost): Promise<number> {
  const outcome = await kit.host.call({ tool: "cancelled" });
  return Number(outcome.status === "completed" && textOf({ result: outcome.result }));
}

/** How many calls of `hang` have left for the server. */
function sent(kit: ServedHost): number {
  return kit.logged.filter(({ text }) => text === "tools/call of hang is sent").length;
}

describe.each(eras)("in front of a %s server", (era) => {
  test("B023 two sessions with the same ids, 1,000 calls with progress: nothing reaches the other", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const clients = await Promise.all([session(kit), session(kit)]);
    const wrong: string[] = [];
    let right = 0;
    let progressed = 0;
    const run = async (client: number, from: number) => {
      for (let id = from; id < from + 50; id++) {
        const token = `${client}-${id}`;
        const all = await told(
          await clients[client]!.call("slow", { steps: 2, ms: 0 }, id, { progressToken: token }),
        );
        for (const one of all) {
          if (one.method === "notifications/progress" && one.params.progressToken === token)
            progressed++;
          else if (one.id === id && textOf(one) === "done after 2 steps") right++;
          else wrong.push(JSON.stringify(one));
        }
        const said = `I am ${client} at ${id}`;
        const echoed = await told(await clients[client]!.call("echo", { text: said }, id));
        if (textOf(answerTo(echoed, id)) === said) right++;
        else wrong.push(JSON.stringify(echoed));
      }
    };
    await Promise.all(
      [0, 1].flatMap((client) => [0, 50, 100, 150, 200].map((from) => run(client, from))),
    );
    expect(wrong).toEqual([]);
    expect(right).toBe(1000);
    expect(progressed).toBe(1000);
  }, 60_000);

  test("a modern client that leaves has cancelled, a legacy one has not", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const one = await session(kit);
    const leave = async (ask: (signal: AbortSignal) => Promise<Response>) => {
      const abort = new AbortController();
      const before = sent(kit);
      const asked = ask(abort.signal).catch(() => {});
      await waitFor(() => sent(kit) > before);
      abort.abort();
      await asked;
    };
    await leave((signal) =>
      kit.ask("/mcp", modernInit("tools/call", { name: "hang" }, { signal })),
    );
    await waitFor(async () => (await cancelled(kit)) === 1);
    await leave((signal) =>
      one.ask({
        signal,
        json: { jsonrpc: "2.0", id: "left", method: "tools/call", params: { name: "hang" } },
      }),
    );
    await Bun.sleep(100);
    expect(await cancelled(kit)).toBe(1);
    await one.notify("notifications/cancelled", { requestId: "left" });
    await waitFor(async () => (await cancelled(kit)) === 2);
  });

  test("only whose request it is cancels it, and it is not answered", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const [one, other] = await Promise.all([session(kit), session(kit)]);
    const hanging = one.call("hang", {}, 3);
    await waitFor(() => sent(kit) === 1);
    await other.notify("notifications/cancelled", { requestId: 3 });
    await one.notify("notifications/cancelled", { requestId: "3" });
    await Bun.sleep(100);
    expect(await cancelled(kit)).toBe(0);
    await one.notify("notifications/cancelled", { requestId: 3 });
    expect(answerTo(await told(await hanging), 3)).toBeUndefined();
    await waitFor(async () => (await cancelled(kit)) === 1);
  });

  test("resources that one subscribed to are told to it alone, until it unsubscribes", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const [one, other] = await Promise.all([session(kit), session(kit)]);
    const heard = collect(await one.ask({ headers: { accept: "text/event-stream" } }));
    const elsewhere = collect(await other.ask({ headers: { accept: "text/event-stream" } }));
    for (const who of [one, other]) {
      const uri = who === one ? "note://one" : "note://two";
      expect(
        answerTo(await told(await who.request("resources/subscribe", { uri })))?.result,
      ).toEqual({});
    }
    await told(await other.call("touch", { uri: "note://one" }));
    await waitFor(() => heard.length > 0);
    // Without the id of our own subscription to a modern server.
    expect(heard[0]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: "note://one" },
    });
    expect(elsewhere).toEqual([]);
    await told(await one.request("resources/unsubscribe", { uri: "note://one" }));
    await told(await one.call("touch", { uri: "note://one" }));
    await told(await one.call("touch", { uri: "note://two" }));
    await waitFor(() => elsewhere.length > 0);
    expect([heard.length, elsewhere.length]).toEqual([1, 1]);
  });

  test("B062 changes of lists are told to all who hear them, few times for many", async () => {
    await using kit = gatewayOver({ s: full(era) }, { gateway: { coalesceMs: 400 } });
    const one = await session(kit);
    await told(await one.request("tools/list"));
    const heard = collect(await one.ask({ headers: { accept: "text/event-stream" } }));
    const filter = { notifications: { toolsListChanged: true } };
    const listening = collect(
      await kit.ask("/mcp", modernInit("subscriptions/listen", filter as object)),
    );
    await waitFor(() => listening.length > 0);
    expect(listening[0]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        notifications: { toolsListChanged: true },
        _meta: { "io.modelcontextprotocol/subscriptionId": 1 },
      },
    });
    for (let i = 0; i < 20; i++) await told(await one.call("change", { list: "tools" }));
    await told(await one.call("change", { list: "prompts" }));
    await waitFor(() =>
      heard.some(({ method }) => method === "notifications/prompts/list_changed"),
    );
    const tools = heard.filter(({ method }) => method === "notifications/tools/list_changed");
    expect(tools.length).toBeGreaterThanOrEqual(1);
    expect(tools.length).toBeLessThanOrEqual(3);
    await waitFor(() => listening.length > 1);
    for (const { method, params } of listening.slice(1)) {
      expect(method).toBe("notifications/tools/list_changed");
      expect(params._meta).toEqual({ "io.modelcontextprotocol/subscriptionId": 1 });
    }
  });

  test("logs reach the client whose call they are from, at the level that it wants", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const [one, other] = await Promise.all([session(kit), session(kit)]);
    const elsewhere = collect(await other.ask({ headers: { accept: "text/event-stream" } }));
    const logged = async (level: string) => {
      const all = await told(await one.call("log", { level }));
      return all.flatMap(({ method, params }) =>
        method === "notifications/message" ? [params.level] : [],
      );
    };
    expect(await logged("warning")).toEqual(["warning"]);
    await told(await one.request("logging/setLevel", { level: "error" }));
    expect(await logged("warning")).toEqual([]);
    expect(await logged("critical")).toEqual(["critical"]);
    await told(await one.request("logging/setLevel", { level: "debug" }));
    expect(await logged("debug")).toEqual(["debug"]);
    expect(elsewhere).toEqual([]);
    const bad = await told(await one.request("logging/setLevel", { level: "loud" }));
    expect(answerTo(bad)?.error?.code).toBe(-32602);
    const call = (meta: object) =>
      kit.ask(
        "/mcp",
        modernInit(
          "tools/call",
          { name: "log", arguments: { level: "error" } } as { name: string },
          { meta },
        ),
      );
    const silent = await told(await call({}));
    expect(silent.map(({ method }) => method)).toEqual([undefined]);
    const loud = await told(await call({ "io.modelcontextprotocol/logLevel": "info" }));
    expect(loud.map(({ method }) => method)).toEqual(["notifications/message", undefined]);
  });
});

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

test("names of tools that a token may not call are no help to it, and no name is told at length", async () => {
  const tokens = [{ name: "b", token: "token-of-b", tools: ["a_*", "a.echo"] }];
  await using kit = gatewayOver({ a: {}, s: {} }, { tokens });
  await kit.served.context.discovery.done;
  const client = await session(kit, { token: "token-of-b" });
  const errorOf = async (name: string) => answerTo(await told(await client.call(name)))?.error;
  const near = await errorOf("s_ech");
  expect(near).toMatchObject({ code: -32602, data: { code: "usage" } });
  expect(JSON.stringify(near)).not.toContain("s_echo");
  expect((await errorOf("a_ech"))?.data).toMatchObject({ nearest: ["a_echo"] });
  expect((await errorOf("echo"))?.data).toMatchObject({ candidates: ["a/echo"] });
  const names = ["x".repeat(100_000), `a/${"x".repeat(100_000)}`];
  for (const name of names) expect(JSON.stringify(await errorOf(name)).length).toBeLessThan(1000);
  const own = await session(kit, { token: "token-of-b", path: "/mcp/a" });
  const [answer] = await told(await own.call("x".repeat(100_000)));
  expect(answer?.error?.message).toStartWith("no tool is called");
  expect(JSON.stringify(answer).length).toBeLessThan(1000);
});
