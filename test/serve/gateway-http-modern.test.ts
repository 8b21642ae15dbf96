/** Modern requests to the gateway over HTTP, row by row of what a dual-era server answers (protocol.md 2.1, 2.2). */
import { afterAll, describe, expect, test } from "bun:test";

import { list, post } from "./gateway-http-kit.ts";
import { full, gatewayOver, modernInit, told } from "./gateway-kit.ts";
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
