/** `POST /tools/NAME`: what a call of one tool by its path comes to. */
import { describe, expect, test } from "bun:test";

import { serveOver } from "./kit.ts";
import { featureFull, id, jsonOf, named, object, seen, text } from "./rest-kit.ts";

describe("POST /tools/NAME", () => {
  test("an empty body has no arguments, and a slash behind the name is none of it", async () => {
    await using kit = serveOver({ s: { prefix: "", tools: named("plain") } });
    const headers = { "content-type": "application/json" };
    for (const path of ["/tools/plain", "/tools/plain/", "/tools/s.plain/"])
      expect(await seen(kit.ask(path, { method: "POST", headers }))).toMatchObject({
        status: 200,
        body: { content: text("{}") },
      });
    const list = await jsonOf(await kit.ask("/tools/"));
    expect(list).toHaveLength(1);
  });

  test("the result as it came, byte for byte, and the call's id in a header", async () => {
    await using kit = serveOver(featureFull("re", { timeoutMs: 700, protocol: "legacy" }));
    const mixed = await kit.ask("/tools/re_mixed", { json: {} });
    expect(mixed.headers.get("content-type")).toBe("application/json");
    expect(mixed.headers.get("mcphost-call")).toEqual(id);
    expect(await mixed.text()).toBe(
      '{"content":[{"type":"text","text":"one"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource_link","uri":"note://one","name":"one"},{"type":"resource","resource":{"uri":"note://one","mimeType":"text/plain","text":"first"}}],"_meta":{"example.org/kept":{"deep":[1,2.5,null]}},"unknownField":"12345678901234567890"}',
    );
    const failed = await kit.ask("/tools/re_fail", { json: {} });
    expect([failed.status, await failed.json()]).toEqual([
      200,
      { content: [{ type: "text", text: "it failed" }], isError: true },
    ]);
  });

  test("errors by their status, with what to do and the call's id (O026)", async () => {
    const policy = [{ tools: "add", do: "ask" as const }];
    await using kit = serveOver(featureFull("re", { timeoutMs: 700 }), { hostOptions: { policy } });
    const ask = (name: string, json: unknown = {}) => seen(kit.ask(`/tools/${name}`, { json }));
    expect(await ask("re_echo", {})).toMatchObject({
      status: 400,
      body: {
        error: {
          code: "usage",
          hint: "re_echo(text: string)",
          problems: [{ path: "/text", message: "is missing" }],
          call: id,
        },
      },
    });
    expect(await ask("re_echo", [])).toMatchObject({ status: 400 });
    expect(await ask("re_add", { a: 1, b: 2 })).toMatchObject({
      status: 403,
      body: { error: { code: "denied", message: expect.stringContaining("needs approval") } },
    });
    expect(await ask("nope")).toMatchObject({
      status: 404,
      body: { error: { code: "not_found", message: 'unknown tool "nope"' } },
    });
    expect(await ask("__proto__")).toMatchObject({ status: 404 });
    expect(await ask("re_refuse", { code: -32050 })).toMatchObject({
      status: 502,
      body: { error: { code: "rpc_error", rpcCode: -32050, call: id } },
    });
    expect(await ask("re_hang")).toMatchObject({
      status: 504,
      body: { error: { code: "timeout", call: id } },
    });
    expect(await ask("re_drop")).toMatchObject({
      status: 502,
      body: { error: { code: "uncertain", call: id } },
    });
  });

  test.each(["a/b", "a b", "é日本", "__proto__", "constructor", "a?b#c", "{x}", "100%"])(
    "the name %j",
    async (name) => {
      await using kit = serveOver({ s: { tools: [{ name, inputSchema: object }] } });
      const answer = await kit.ask(`/tools/${encodeURIComponent(name)}`, { json: { a: 1 } });
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { content: [{ type: "text", text: '{"a":1}' }] },
      ]);
    },
  );
});
