/** `/tools` field by field: the list, answers, refusals, and what a call of one tool by its path comes to. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { everything } from "./everything.ts";
import { serveOver } from "./kit.ts";
import { faulty, featureFull, fixtureKit, jsonOf, seen } from "./rest-kit.ts";

const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const object = { type: "object" };
const named = (...names: string[]) => names.map((name) => ({ name, inputSchema: object }));
const text = (value: string) => [{ type: "text", text: value }];

describe("GET /tools", () => {
  test("llama-server's fields, each of its name and type, and more beside them", async () => {
    const tools = [
      { name: "bare", inputSchema: object },
      {
        name: "full",
        title: "Full",
        description: "All of it.",
        inputSchema: { type: "object", properties: { a: { type: "number" } } },
        outputSchema: object,
        annotations: { readOnlyHint: true, title: "By hint" },
      },
    ];
    const policy = [{ tools: "bare", do: "deny" as const, reason: "not today" }];
    await using kit = serveOver({ s: { prefix: "s_", tools } }, { hostOptions: { policy } });
    const answer = await kit.ask("/tools");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toStartWith("application/json");
    expect(await answer.json()).toEqual([
      {
        tool: "s_bare",
        display_name: "s_bare",
        type: "mcp",
        permissions: { write: false },
        uses_cwd: false,
        definition: {
          type: "function",
          function: { name: "s_bare", description: "", parameters: object },
        },
        server: "s",
        name: "bare",
        policy: { do: "deny", rule: 'the rule for "bare"' },
      },
      {
        tool: "s_full",
        display_name: "s_full",
        type: "mcp",
        permissions: { write: false },
        uses_cwd: false,
        definition: {
          type: "function",
          function: {
            name: "s_full",
            description: "All of it.",
            parameters: { type: "object", properties: { a: { type: "number" } } },
          },
        },
        server: "s",
        name: "full",
        title: "Full",
        annotations: { readOnlyHint: true, title: "By hint" },
        outputSchema: object,
        policy: { do: "allow" },
      },
    ]);
  });

  test("of all servers in their order, and none waits for a slow or a dead one (B113, B115)", async () => {
    await using kit = serveOver({
      slow: { prefix: "slow_", startMs: 60_000, tools: [{ name: "late", inputSchema: object }] },
      dead: { prefix: "dead_", ...faulty("crash-before-initialize") },
      b: { prefix: "b_", ...faulty("cursor-null") },
      a: { prefix: "a_" },
    });
    // Once at the start it waits a little for those that start; after that for nobody.
    await kit.ask("/tools");
    const startedAt = performance.now();
    const list = await jsonOf(await kit.ask("/tools"));
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(list.map((tool: any) => tool.tool)).toEqual(["b_echo", "a_echo"]);
  });

  test("names that are cleaned stay apart, and raw ones mean the same (B116, B118, B119)", async () => {
    await using kit = serveOver({
      a: { tools: named("x.y", "x_y", "same") },
      a_: { tools: named("x_y", "same") },
    });
    const list = await jsonOf(await kit.ask("/tools"));
    const names: string[] = list.map((tool: any) => tool.tool);
    expect(new Set(names).size).toBe(5);
    for (const tool of list) {
      const params = { who: tool.tool };
      for (const name of [tool.tool, `${tool.server}/${tool.name}`]) {
        const answer = await kit.ask("/tools", { json: { tool: name, params } });
        expect(await answer.json()).toMatchObject({ plain_text_response: JSON.stringify(params) });
      }
    }
    expect(await seen(kit.ask("/tools", { json: { tool: "same" } }))).toMatchObject({
      status: 400,
      body: { error: { candidates: ["a/same", "a_/same"], hint: "say which: a.same, a_.same" } },
    });
    // So that it fits into a path, too.
    expect((await kit.ask("/tools/a.same", { json: {} })).status).toBe(200);
    expect(await seen(kit.ask("/tools/quite-different", { json: {} }))).toMatchObject({
      status: 404,
      body: { error: { hint: "GET /tools lists those that there are" } },
    });
  });

  test("a caller sees and calls what their token allows, and learns of nothing else", async () => {
    const tools = [
      { name: "read_file", inputSchema: object },
      { name: "write_file", inputSchema: object },
    ];
    await using kit = serveOver(
      { s: { prefix: "s_", tools, deniedTools: ["none"] } },
      {
        tokens: [
          { name: "reader", token: "r", tools: ["read*"] },
          { name: "all", token: "a" },
        ],
      },
    );
    const names = async (token: string) =>
      (await jsonOf(await kit.ask("/tools", { token }))).map((tool: any) => tool.tool);
    expect(await names("r")).toEqual(["s_read_file"]);
    expect(await names("a")).toEqual(["s_read_file", "s_write_file"]);
    expect((await kit.ask("/tools")).status).toBe(401);
    const hidden = await kit.ask("/tools", { token: "r", json: { tool: "s_write_file" } });
    const never = await kit.ask("/tools", { token: "r", json: { tool: "s_write_fil" } });
    expect([hidden.status, never.status]).toEqual([404, 404]);
    expect((await never.text()).replaceAll("_fil", "_file")).toBe(await hidden.text());
    expect((await kit.ask("/tools/s_write_file", { token: "r", json: {} })).status).toBe(404);
    expect((await kit.ask("/tools/write_file", { token: "r", json: {} })).status).toBe(404);
    expect((await kit.ask("/tools/s_read_file", { token: "r", json: {} })).status).toBe(200);
    const near = await kit.ask("/tools", { token: "a", json: { tool: "s_write_fil" } });
    expect(await near.json()).toMatchObject({ error: { nearest: ["s_write_file"] } });
  });
});

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

  test.each([
    ["[]", 400],
    ["null", 400],
    ["5", 400],
    ["{bad", 400],
    ["", 400],
    ["{}", 400],
    ['{"tool":1}', 400],
    ['{"tool":null}', 400],
    ['{"tool":"s_echo","params":[]}', 400],
    ['{"tool":"s_echo","params":"{}"}', 400],
    ['{"tool":"s_echo","stream":"x"}', 400],
    ['{"tool":"s_echo","stream":null}', 400],
    ['{"tool":"nope"}', 404],
    ['{"tool":""}', 404],
    ['{"tool":"__proto__"}', 404],
    ['{"tool":"toString","stream":true}', 404],
    ['{"tool":"s_denied"}', 403],
    ['{"tool":"s_denied","stream":true}', 403],
    ['{"tool":"s_hidden"}', 403],
  ])("%s is refused with %d, in llama-server's shape and in ours", async (body, status) => {
    const tools = ["echo", "denied", "hidden"].map((name) => ({ name, inputSchema: object }));
    await using kit = serveOver(
      { s: { prefix: "s_", tools, deniedTools: ["hidden"] } },
      { hostOptions: { policy: [{ tools: "denied", do: "deny", reason: "not today" }] } },
    );
    const headers = { "content-type": "application/json" };
    const answer = await kit.ask("/tools", { method: "POST", body, headers });
    expect(answer.status).toBe(status);
    const types: Record<number, string> = {
      400: "invalid_request_error",
      403: "permission_error",
      404: "not_found_error",
    };
    const told = await jsonOf(answer);
    expect(told.message).toMatch(body.includes("denied") ? /not today/ : /.../);
    expect(told).toMatchObject({
      code: status,
      type: types[status],
      error: { code: expect.any(String), message: told.message, type: types[status] },
    });
  });

  test("a name that means nothing, or a bare one, waits for no server and starts none", async () => {
    await using kit = serveOver({
      slow: { prefix: "slow_", startMs: 60_000 },
      good: { prefix: "good_", tools: [{ name: "mine", inputSchema: object }] },
    });
    await waitFor(async () => (await jsonOf(await kit.ask("/tools"))).length === 1);
    const startedAt = performance.now();
    expect((await kit.ask("/tools", { json: { tool: "nope" } })).status).toBe(404);
    expect((await kit.ask("/tools/nope", { json: {} })).status).toBe(404);
    // It rests by now, and is not woken by names of nothing.
    const states = () => kit.host.servers().map(({ state }) => state);
    await waitFor(() => states()[1] !== "ready");
    expect((await kit.ask("/tools", { json: { tool: "nope" } })).status).toBe(404);
    expect(states()[1]).not.toBe("ready");
    expect((await kit.ask("/tools/mine", { json: {} })).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test("the wrong type of body is refused as everywhere, in llama-server's shape too", async () => {
    await using kit = serveOver({ s: {} });
    const headers = { "content-type": "text/plain" };
    const answer = await kit.ask("/tools", { method: "POST", body: '{"tool":"echo"}', headers });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ code: 415, type: "invalid_request_error" });
  });

  test("a server that cannot be used is told at once, with its name and no path of ours (B020, B022)", async () => {
    await using kit = serveOver({
      dying: { prefix: "dying_", ...faulty("crash-before-initialize") },
      folder: { prefix: "folder_", command: import.meta.dir, args: [] },
      good: { prefix: "good_" },
    });
    for (const name of ["dying", "folder"]) {
      const startedAt = performance.now();
      const { status, body } = await seen(kit.ask("/tools", { json: { tool: `${name}_x` } }));
      expect(status).toBe(200);
      expect(body).toMatchObject({ error: expect.stringContaining(`"${name}"`), call: id });
      expect(["server_start", "server_exit"]).toContain(body.code);
      expect(JSON.stringify(body)).not.toContain(import.meta.dir);
      const own = await seen(kit.ask(`/tools/${name}_x`, { json: {} }));
      expect(own).toMatchObject({ status: 502, body: { error: { server: name, call: id } } });
      expect(performance.now() - startedAt).toBeLessThan(5000);
    }
    const good = await jsonOf(await kit.ask("/tools", { json: { tool: "good_echo" } }));
    expect(good.plain_text_response).toBe("{}");
  });
});

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
