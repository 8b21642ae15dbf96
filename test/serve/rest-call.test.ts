/** `POST /tools`: each kind of answer, and arguments and results as they came. */
import { describe, expect, test } from "bun:test";

import { everything } from "./everything.ts";
import { serveOver } from "./kit.ts";
import { featureFull, fixtureKit, id, jsonOf, seen, text } from "./rest-kit.ts";

describe("POST /tools", () => {
  test("each kind of answer at 200, with everything beside it", async () => {
    await using kit = serveOver(featureFull("re", { timeoutMs: 700, protocol: "legacy" }));
    const ask = (tool: string, params?: unknown) =>
      seen(kit.ask("/tools", { json: { tool, params } }));
    expect(await ask("re_echo", { text: "hi" })).toEqual({
      status: 200,
      body: { plain_text_response: "hi", content: text("hi"), call: id },
    });
    expect(await ask("re_structured", { city: "Rome" })).toEqual({
      status: 200,
      body: {
        plain_text_response: '{"city":"Rome","degrees":21.5}',
        content: text('{"city":"Rome","degrees":21.5}'),
        structuredContent: { city: "Rome", degrees: 21.5 },
        call: id,
      },
    });
    expect(await ask("re_mixed")).toEqual({
      status: 200,
      body: {
        plain_text_response: "one\nnote://one\nfirst",
        content: [
          { type: "text", text: "one" },
          { type: "image", data: "AAAA", mimeType: "image/png" },
          { type: "resource_link", uri: "note://one", name: "one" },
          {
            type: "resource",
            resource: { uri: "note://one", mimeType: "text/plain", text: "first" },
          },
        ],
        _meta: { "example.org/kept": { deep: [1, 2.5, null] } },
        call: id,
      },
    });
    expect(await ask("re_fail", { message: "no luck" })).toEqual({
      status: 200,
      body: { error: "no luck", content: text("no luck"), isError: true, call: id },
    });
    expect((await ask("re_fail", { message: "" })).body.error).toBe(
      "the tool answered with an error",
    );
    expect(await ask("re_refuse", { code: -32050 })).toEqual({
      status: 200,
      body: {
        error: "refused as asked",
        code: "rpc_error",
        server: "re",
        tool: "refuse",
        rpcCode: -32050,
        call: id,
      },
    });
    expect(await ask("re_hang")).toMatchObject({
      status: 200,
      body: { error: expect.stringContaining("700 ms"), code: "timeout", sent: true, call: id },
    });
    expect(await ask("re_drop")).toMatchObject({
      status: 200,
      body: { error: expect.stringContaining("exit code 7"), code: "uncertain", call: id },
    });
    // What a model has to know to do better is in the one text that it reads.
    expect(await ask("re_echo", { txt: "hi" })).toMatchObject({
      status: 200,
      body: {
        error: expect.stringMatching(/argument text is missing[^]*re_echo\(text: string\)/),
        code: "usage",
      },
    });
  });

  test("arguments are the tool's own, whatever they are called, and keep every digit", async () => {
    await using kit = serveOver({ s: { prefix: "s_" } });
    const params =
      '{"cwd":"/x","runtime":"docker:x","resp_type":"base64","stream":true,"tool":"t","params":[],"__proto__":{"a":1},"n":12345678901234567890,"d":0.10000000000000000001}';
    const answer = await kit.ask("/tools", {
      method: "POST",
      body: `{"tool":"s_echo","params":${params}}`,
      headers: {
        "content-type": "application/json",
        "x-tool-cwd": "/else",
        "x-tool-runtime": "ssh:else",
        "x-resp-type": "base64",
      },
    });
    // The fixture reads numbers as doubles: what reached it shows in what the digits became.
    const echoed = JSON.parse((await jsonOf(answer)).plain_text_response);
    const sent = JSON.parse(params);
    expect(JSON.stringify(echoed)).toBe(JSON.stringify(sent));
    const own = await kit.ask("/tools/s_echo", {
      method: "POST",
      body: params,
      headers: { "content-type": "application/json" },
    });
    expect(JSON.parse((await jsonOf(own)).content[0].text)).toEqual(sent);
  });

  test("results keep every digit, by both ways", async () => {
    const digits = "12345678901234567890";
    const program = `import { serve, tool } from ${JSON.stringify(fixtureKit)};
      const n = JSON.rawJSON("${digits}");
      await serve({ tools: [tool("big")], calls: { big: () => ({ content: [], structuredContent: { n } }) } });`;
    await using kit = serveOver({ s: { prefix: "s_", args: ["-e", program] } });
    const both = await (await kit.ask("/tools", { json: { tool: "s_big" } })).text();
    expect(both).toContain(`"structuredContent":{"n":${digits}}`);
    // Nothing else is text: what there is stands for it.
    expect(JSON.parse(both).plain_text_response).toBe(`{"n":${digits}}`);
    const own = await (await kit.ask("/tools/s_big", { json: {} })).text();
    expect(own).toBe(`{"content":[],"structuredContent":{"n":${digits}}}`);
  });

  test("large arguments and large results, by both ways", async () => {
    await using kit = serveOver(featureFull("re", { protocol: "legacy" }), { startKey: "key" });
    const said = "é".repeat(5_000_000);
    const echoed = await jsonOf(
      await kit.ask("/tools", { json: { tool: "re_echo", params: { text: said } } }),
    );
    expect(echoed.plain_text_response === said).toBe(true);
    const big = await kit.ask("/tools/re_big", { json: { bytes: 20_000_000 } });
    expect((await jsonOf(big)).content[0].text).toHaveLength(20_000_000);
    const [own, other] = await jsonOf(await kit.ask("/calls", { token: "key" }));
    expect([own.arguments, other.arguments]).toEqual([{ bytes: 20_000_000 }, null]);
  });

  test("no arguments are an empty object (B110)", async () => {
    await using kit = serveOver({ s: { prefix: "s_" } });
    for (const json of [{ tool: "s_echo" }, { tool: "s_echo", params: null }])
      expect(await jsonOf(await kit.ask("/tools", { json }))).toMatchObject({
        plain_text_response: "{}",
      });
    expect(await jsonOf(await kit.ask("/tools/s_echo", { json: null }))).toMatchObject({
      content: [{ text: "{}" }],
    });
  });
});

test("server-everything: every tool that needs nobody, by both ways", async () => {
  await using kit = serveOver({ ev: { ...everything, prefix: "ev_" } });
  const calls: [string, object][] = [
    ["echo", { message: "hi" }],
    ["get-sum", { a: 2, b: 40 }],
    ["get-tiny-image", {}],
    ["get-annotated-message", { messageType: "error", includeImage: true }],
    ["get-resource-links", { count: 3 }],
    ["get-resource-reference", { resourceType: "Text", resourceId: 1 }],
    ["get-structured-content", { location: "Chicago" }],
  ];
  for (const [name, params] of calls) {
    const own = await jsonOf(await kit.ask(`/tools/ev_${name}`, { json: params }));
    const both = await jsonOf(await kit.ask("/tools", { json: { tool: `ev_${name}`, params } }));
    expect(both.content.map((block: any) => block.type)).toEqual(
      own.content.map((block: any) => block.type),
    );
    expect(both.structuredContent).toEqual(own.structuredContent);
    expect(both.plain_text_response).not.toBe("");
  }
  const sum = await kit.ask("/tools", { json: { tool: "ev_get-sum", params: { a: 2, b: 40 } } });
  expect((await jsonOf(sum)).plain_text_response).toContain("42");
});
