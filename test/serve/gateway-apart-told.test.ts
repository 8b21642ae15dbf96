/** Clients of one gateway are apart: what each is told of resources, lists and logs is its own. */
import { describe, expect, test } from "bun:test";

import { eras } from "../client/served.ts";
import { waitFor } from "../processes.ts";
import { answerTo, collect, full, gatewayOver, modernInit, session, told } from "./gateway-kit.ts";

describe.each(eras)("in front of a %s server", (era) => {
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
