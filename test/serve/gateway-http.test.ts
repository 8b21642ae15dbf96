/** The gateway over HTTP, row by row of what a dual-era server answers (protocol.md 2.1, 2.2, 2.4). */
import { afterAll, describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import {
  answerTo,
  both,
  enveloped,
  full,
  gatewayOver,
  modernInit,
  session,
  textOf,
  told,
} from "./gateway-kit.ts";
import type { AskOptions } from "./kit.ts";

const kit = gatewayOver({ old: full("legacy"), young: full("modern") }, { tokens: [] });
afterAll(() => kit[Symbol.asyncDispose]());

/** Status, code and id of what is answered at `/mcp`. */
async function outcome(init: AskOptions, path = "/mcp"): Promise<unknown[]> {
  const response = await kit.ask(path, init);
  const [first] = await told(response);
  return [response.status, first?.error?.code, first?.id];
}

/** Calls the tool whose arguments are repeated in headers. */
const callRegion = (headers: Record<string, string | undefined>) =>
  outcome(
    modernInit(
      "tools/call",
      { name: "region", arguments: { region: "北", priority: 5 } } as { name: string },
      { headers },
    ),
    "/mcp/young",
  );

const list = { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} };
const post = (json: unknown, headers: Record<string, string> = {}): AskOptions => ({
  json,
  headers: { accept: both, ...headers },
});

describe("what is no message", () => {
  test.each([
    [
      "no content type",
      { method: "POST", body: "{}", headers: { "content-type": "" } },
      [415, -32000, null],
    ],
    [
      "another content type",
      { method: "POST", body: "{}", headers: { "content-type": "text/plain" } },
      [415, -32000, null],
    ],
    [
      "bad JSON",
      { method: "POST", body: "{", headers: { "content-type": "application/json" } },
      [400, -32700, null],
    ],
    [
      "nothing",
      { method: "POST", body: "", headers: { "content-type": "application/json" } },
      [400, -32700, null],
    ],
    ["a number", post(1), [400, -32600, null]],
    ["an object without a method", post({ jsonrpc: "2.0", id: 4 }), [400, -32600, null]],
    ["a null id", post({ ...list, id: null }), [400, -32600, null]],
    ["an id that is an object", post({ ...list, id: {} }), [400, -32600, null]],
    ["an empty batch", post([]), [400, -32600, null]],
    [
      "a batch with a modern request",
      post([{ ...list, params: enveloped() }]),
      [400, -32600, null],
    ],
    ["a batch without a session", post([list]), [400, -32600, null]],
    [
      "an answer without a session",
      post({ jsonrpc: "2.0", id: 1, result: {} }),
      [400, -32600, null],
    ],
  ] as [string, AskOptions, unknown[]][])("%s", async (_name, init, expected) => {
    expect(await outcome(init)).toEqual(expected);
  });
});

describe("modern requests", () => {
  const init = modernInit;
  test.each([
    ["is served", init("tools/list"), [200, undefined, 1]],
    [
      "no version header",
      init("tools/list", {}, { headers: { "mcp-protocol-version": undefined } }),
      [400, -32020, 1],
    ],
    [
      "another version header",
      init("tools/list", {}, { headers: { "mcp-protocol-version": "2025-11-25" } }),
      [400, -32020, 1],
    ],
    [
      "no method header",
      init("tools/list", {}, { headers: { "mcp-method": undefined } }),
      [400, -32020, 1],
    ],
    [
      "another method header",
      init("tools/list", {}, { headers: { "mcp-method": "tools/call" } }),
      [400, -32020, 1],
    ],
    [
      "case counts in a method header",
      init("tools/list", {}, { headers: { "mcp-method": "Tools/List" } }),
      [400, -32020, 1],
    ],
    [
      "no name header",
      init("tools/call", { name: "old_echo" }, { headers: { "mcp-name": undefined } }),
      [400, -32020, 1],
    ],
    [
      "another name header",
      init("tools/call", { name: "old_echo" }, { headers: { "mcp-name": "old_add" } }),
      [400, -32020, 1],
    ],
    [
      "a name header in bad base64",
      init("tools/call", { name: "old_echo" }, { headers: { "mcp-name": "=?base64?%%%?=" } }),
      [400, -32020, 1],
    ],
    [
      "a name header in base64",
      init(
        "resources/read",
        { uri: "note://one" },
        { headers: { "mcp-name": "=?base64?bm90ZTovL29uZQ==?=" } },
      ),
      [200, -32602, 1],
    ],
    ["an unknown tool", init("tools/call", { name: "none" }), [200, -32602, 1]],
    ["an unknown method", init("no/such"), [404, -32601, 1]],
    ["initialize", init("initialize"), [404, -32601, 1]],
    ["ping", init("ping"), [404, -32601, 1]],
    ["logging/setLevel", init("logging/setLevel"), [404, -32601, 1]],
    ["resources/subscribe", init("resources/subscribe"), [404, -32601, 1]],
    ["resources/unsubscribe", init("resources/unsubscribe"), [404, -32601, 1]],
    [
      "an unknown level of logs",
      init("tools/list", {}, { meta: { "io.modelcontextprotocol/logLevel": "loud" } }),
      [400, -32602, 1],
    ],
    [
      "capabilities that are none",
      init("tools/list", {}, { meta: { "io.modelcontextprotocol/clientCapabilities": 1 } }),
      [400, -32602, 1],
    ],
    [
      "no envelope",
      post(list, { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }),
      [400, -32602, 7],
    ],
    [
      "initialize with a modern header alone",
      post({ ...list, method: "initialize" }, { "mcp-protocol-version": "2026-07-28" }),
      [400, -32020, 7],
    ],
    [
      "a notification",
      post({ jsonrpc: "2.0", method: "notifications/x" }, { "mcp-protocol-version": "2026-07-28" }),
      [202, undefined, undefined],
    ],
  ] as [string, AskOptions, unknown[]][])("%s", async (_name, given, expected) => {
    expect(await outcome(given)).toEqual(expected);
  });

  test("a revision that is not served is told with those that are, all of them in discover", async () => {
    const version = "2099-01-01";
    const meta = { "io.modelcontextprotocol/protocolVersion": version };
    const response = await kit.ask(
      "/mcp",
      modernInit("server/discover", {}, { headers: { "mcp-protocol-version": version }, meta }),
    );
    expect(response.status).toBe(400);
    const [refusal] = await told(response);
    expect(refusal?.error).toMatchObject({ code: -32022, data: { requested: version } });
    const [found] = await told(await kit.ask("/mcp", modernInit("server/discover")));
    expect(found?.result).toMatchObject({
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "mcphost" } },
    });
    expect(found?.result.supportedVersions).toEqual(
      expect.arrayContaining(refusal?.error?.data.supported),
    );
  });

  test("no id of a session is minted or minded", async () => {
    const response = await kit.ask(
      "/mcp",
      modernInit("tools/list", {}, { headers: { "mcp-session-id": "anything" } }),
    );
    expect([response.status, response.headers.get("mcp-session-id")]).toEqual([200, null]);
  });

  test.each(["GET", "DELETE"])("%s is not for them", async (method) => {
    const response = await kit.ask("/mcp", {
      method,
      headers: { "mcp-protocol-version": "2026-07-28" },
    });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("arguments that belong into headers have to be there", async () => {
    const region = "=?base64?5YyX?=";
    expect(await callRegion({ "mcp-param-region": region, "mcp-param-priority": "5.0" })).toEqual([
      200,
      undefined,
      1,
    ]);
    expect(await callRegion({ "mcp-param-region": region })).toEqual([400, -32020, 1]);
    expect(await callRegion({ "mcp-param-region": region, "mcp-param-priority": "6" })).toEqual([
      400, -32020, 1,
    ]);
    expect(
      await callRegion({ "mcp-param-region": "=?base64?!?=", "mcp-param-priority": "5" }),
    ).toEqual([400, -32020, 1]);
  });
});

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

  test("both types are to be accepted; who takes one alone gets that", async () => {
    const one = await session(kit);
    const call = {
      params: { name: "old_slow", arguments: { steps: 2 }, _meta: { progressToken: 1 } },
    };
    const asked = { ...list, method: "tools/call", ...call };
    const start = { ...list, method: "initialize", params: { protocolVersion: "2025-06-18" } };
    for (const accept of [
      "application/json",
      "text/event-stream",
      "application/json, text/event-stream;q=0",
    ])
      for (const json of [list, asked, start]) {
        const response = await one.ask({ json, headers: { accept } });
        expect(response.status).toBe(200);
        expect(accept).toStartWith(response.headers.get("content-type") ?? "none");
        expect(answerTo(await told(response), list.id)?.result).toBeDefined();
      }
    expect((await one.ask({ json: list, headers: { accept: "text/html" } })).status).toBe(406);
    expect((await one.ask({ json: list, headers: { accept: "*/*" } })).status).toBe(200);
    expect((await one.ask({ method: "GET", headers: { accept: "text/html" } })).status).toBe(406);
  });

  test("what has the quality 0 is not accepted; the narrowest range counts", async () => {
    const one = await session(kit);
    const statusOf = async (accept: string) =>
      (await one.ask({ json: list, headers: { accept } })).status;
    for (const accept of [
      "application/json;q=0, text/event-stream;q=0",
      "text/html, text/event-stream; Q=0.000",
      "*/*;q=0",
      "text/html, application/json;q=0",
      "application/*;q=0, */*, text/*;q=0",
    ])
      expect([accept, await statusOf(accept)]).toEqual([accept, 406]);
    for (const accept of [
      "Application/JSON;charset=utf-8;q=0.001, TEXT/*;q=0.1",
      "text/event-stream;q=1.0, */*;q=0.5",
      "application/json, text/*;q=0, text/event-stream",
    ])
      expect([accept, await statusOf(accept)]).toEqual([accept, 200]);
    const get = { method: "GET", headers: { accept: "*/*, text/event-stream;q=0" } };
    expect((await one.ask(get)).status).toBe(406);
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

describe("addresses", () => {
  test.each(["/mcp/", "/mcp/old/"])("a slash behind makes no other one: %s", async (path) => {
    const response = await kit.ask(path, modernInit("tools/list"));
    expect((await told(response))[0]?.result?.tools).toBeArray();
  });

  test.each(["none", "__proto__", "constructor"])("/mcp/%s is nobody's", async (name) => {
    expect((await kit.ask(`/mcp/${name}`, modernInit("tools/list"))).status).toBe(404);
  });

  test("/mcp shows all under exposed names, /mcp/SERVER one under its own", async () => {
    const names = async (path: string) => {
      const [all] = await told(await kit.ask(path, modernInit("tools/list")));
      return (all?.result?.tools ?? []).map(({ name }: { name: string }) => name);
    };
    const all = await names("/mcp");
    expect(all).toContain("old_echo");
    expect(all).toContain("young_echo");
    expect(await names("/mcp/old")).toContain("echo");
    const chosen = await names("/mcp?tools=old_e*&tools=young.add");
    expect(chosen.toSorted()).toEqual(["old_echo", "young_add"]);
    const hidden = modernInit("tools/call", { name: "old_add" });
    expect((await told(await kit.ask("/mcp?tools=old_e*", hidden)))[0]?.error?.code).toBe(-32602);
  });
});
