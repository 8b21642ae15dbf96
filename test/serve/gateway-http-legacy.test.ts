/** Legacy sessions of the gateway over HTTP: how they begin, ids, versions, notifications and batches (protocol.md 2.4). */
import { afterAll, describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { list, post } from "./gateway-http-kit.ts";
import { answerTo, full, gatewayOver, session, textOf, told } from "./gateway-kit.ts";
import type { AskOptions } from "./kit.ts";

const kit = gatewayOver({ old: full("legacy"), young: full("modern") }, { tokens: [] });

afterAll(() => kit[Symbol.asyncDispose]());

/** Status, code and id of what is answered at `/mcp`. */
async function outcome(init: AskOptions, path = "/mcp"): Promise<unknown[]> {
  const response = await kit.ask(path, init);
  const [first] = await told(response);
  return [response.status, first?.error?.code, first?.id];
}

describe("legacy sessions", () => {
  test.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["2026-07-28", "2025-11-25"],
    ["1999-01-01", "2025-11-25"],
  ])("initialize with %s is answered with %s", async (revision, expected) => {
    const { id, greeting } = await session(kit, { revision });
    expect(greeting.result).toMatchObject({
      protocolVersion: expected,
      serverInfo: { name: "mcphost" },
    });
    expect(Object.keys(greeting.result)).not.toContain("resultType");
    expect(id).toMatch(/^[!-~]{32,}$/);
  });

  test("an id with more digits than a double holds comes back as it was written", async () => {
    const { ask } = await session(kit);
    const id = JSON.rawJSON("1764489600000000001");
    const answer = await ask({ json: { jsonrpc: "2.0", id, method: "ping" } });
    expect(await answer.text()).toBe(`{"jsonrpc":"2.0","id":1764489600000000001,"result":{}}`);
    const unknown = await ask({ json: { jsonrpc: "2.0", id, method: "no/such" } });
    expect(await unknown.text()).toStartWith(`{"jsonrpc":"2.0","id":1764489600000000001,"error"`);
  });

  test("a call whose arguments are null has none, as one without them", async () => {
    const { ask } = await session(kit, { path: "/mcp/old" });
    for (const rest of [{}, { arguments: null }]) {
      const params = { name: "echo", ...rest };
      const answer = await ask({ json: { ...list, method: "tools/call", params } });
      expect(await answer.json()).toMatchObject({ id: 7, result: { content: expect.anything() } });
    }
  });

  test("a malformed envelope leaves initialize what it is", async () => {
    const params = {
      protocolVersion: "2025-06-18",
      _meta: { "io.modelcontextprotocol/protocolVersion": 1 },
    };
    const [status, code] = await outcome(post({ ...list, method: "initialize", params }));
    expect([status, code]).toEqual([200, undefined]);
  });

  test("an id is needed, and only one that is known, of this address, is taken", async () => {
    const one = await session(kit, { path: "/mcp/old" });
    expect(await outcome(post(list))).toEqual([400, -32000, 7]);
    for (const id of ["none", "__proto__", "toString"])
      expect(await outcome(post(list, { "mcp-session-id": id }))).toEqual([404, -32001, 7]);
    const foreign = post(list, { "mcp-session-id": one.id });
    expect(await outcome(foreign, "/mcp")).toEqual([404, -32001, 7]);
    expect(await outcome(foreign, "/mcp/old")).toEqual([200, undefined, 7]);
  });

  test("initialize never minds an id that it carries", async () => {
    const again = post({ ...list, method: "initialize" }, { "mcp-session-id": "long gone" });
    expect(await outcome(again)).toEqual([200, undefined, 7]);
  });

  test("a version header that is not ours is refused, none is taken as the session's", async () => {
    const one = await session(kit);
    const of = (version: string) =>
      one.ask({ json: list, headers: { "mcp-protocol-version": version } });
    expect((await of("2025-11-25")).status).toBe(200);
    // As what stands between may send it.
    expect((await of("2025-11-25, 2025-11-25")).status).toBe(200);
    for (const no of ["2099-01-01", "2025-11-25, 2025-06-18"])
      expect((await of(no)).status).toBe(400);
    expect((await one.ask({ json: list })).status).toBe(200);
  });

  test("notifications and answers are 202, requests before GET and DELETE are what they are", async () => {
    const one = await session(kit);
    expect((await one.notify("notifications/initialized")).status).toBe(202);
    expect((await one.ask({ json: { jsonrpc: "2.0", id: 9, result: {} } })).status).toBe(202);
    expect(answerTo(await told(await one.request("ping")))?.result).toEqual({});
    expect(answerTo(await told(await one.request("no/such")))?.error?.code).toBe(-32601);
    expect((await one.ask({ method: "DELETE" })).status).toBe(204);
    expect((await one.request("ping")).status).toBe(404);
    expect((await one.ask({ method: "DELETE" })).status).toBe(404);
    expect((await kit.ask("/mcp", { method: "DELETE" })).status).toBe(400);
    expect((await kit.ask("/mcp", { headers: { accept: "text/event-stream" } })).status).toBe(400);
  });

  test("batches belong to 2025-03-26", async () => {
    const old = await session(kit, { revision: "2025-03-26" });
    const batch = [
      { jsonrpc: "2.0", id: "a", method: "ping" },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      {
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "old_echo", arguments: { text: "in a batch" } },
      },
    ];
    const all = await told(await old.ask({ json: batch }));
    expect(all.map(({ id }) => id).toSorted()).toEqual([2, "a"]);
    expect(textOf(answerTo(all, 2))).toBe("in a batch");
    expect((await old.ask({ json: [batch[1]] })).status).toBe(202);
    expect((await old.ask({ json: [{ ...list, method: "initialize" }] })).status).toBe(400);
    const young = await session(kit);
    expect((await young.ask({ json: batch })).status).toBe(400);
  });

  test("an id is in use until its request is answered, with its type", async () => {
    const one = await session(kit);
    const slow = one.call("old_slow", { steps: 1, ms: 1000 }, 5);
    await waitFor(() => kit.logged.some(({ text }) => text === "tools/call of slow is sent"));
    expect(answerTo(await told(await one.request("ping", {}, 5)), 5)?.error?.code).toBe(-32600);
    expect(answerTo(await told(await one.request("ping", {}, "5")), "5")?.result).toEqual({});
    expect(textOf(answerTo(await told(await slow), 5))).toBe("done after 1 steps");
    expect(answerTo(await told(await one.request("ping", {}, 5)), 5)?.result).toEqual({});
  });

  test("id 0 and an empty id are ids", async () => {
    const one = await session(kit);
    expect(answerTo(await told(await one.request("ping", {}, 0)), 0)?.result).toEqual({});
    expect(answerTo(await told(await one.request("ping", {}, "")), "")?.result).toEqual({});
  });
});
