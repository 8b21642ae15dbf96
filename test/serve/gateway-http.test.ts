/** The gateway over HTTP: what is no message, and the addresses that it has (protocol.md 2.1, 2.4). */
import { afterAll, describe, expect, test } from "bun:test";

import { list, post } from "./gateway-http-kit.ts";
import { enveloped, full, gatewayOver, modernInit, told } from "./gateway-kit.ts";
import type { AskOptions } from "./kit.ts";

const kit = gatewayOver({ old: full("legacy"), young: full("modern") }, { tokens: [] });

afterAll(() => kit[Symbol.asyncDispose]());

/** Status, code and id of what is answered at `/mcp`. */
async function outcome(init: AskOptions, path = "/mcp"): Promise<unknown[]> {
  const response = await kit.ask(path, init);
  const [first] = await told(response);
  return [response.status, first?.error?.code, first?.id];
}

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
