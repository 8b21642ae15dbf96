/** Numbers that no double holds, in arguments, results, lists, schemas and errors behind the gateway. */
import { expect, test } from "bun:test";

import { entry } from "../cases/kit.ts";
import { gatewayOver, session } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";

test("digits of arguments and results stay as they are", async () => {
  await using kit = gatewayOver({ s: {} });
  const one = await session(kit);
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":12345678901234567890,"__proto__":{"x":1}}}}`;
  const response = await one.ask({
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  expect(await response.text()).toContain(
    '{\\"n\\":12345678901234567000,\\"__proto__\\":{\\"x\\":1}}',
  );
});

test("digits of lists, schemas and errors stay as they are", async () => {
  const big = "9223372036854775807";
  await using kit = serveOver({ a: entry("lists.digits", {}, big) });
  const one = await session(kit);
  const all: string[] = [];
  for (const list of ["tools", "prompts", "resources"])
    all.push(await (await one.request(`${list}/list`)).text());
  all.push(await (await one.call("big", {})).text());
  for (const path of ["/tools", "/openapi.json"]) all.push(await (await kit.ask(path)).text());
  const bigs = all.map((text) => Array.from(text.matchAll(/922337203685477\d+/g), String));
  expect(bigs).toEqual([4, 1, 1, 1, 3, 3].map((count) => Array(count).fill(big)));
});

test("digits stay where a result is written anew: of a modern server for a legacy client, of a URI of two servers", async () => {
  const big = "9007199254740993";
  const answers = {
    "server/discover": `"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}, "resources": {}}`,
    "tools/list": `"tools": [{"name": "big", "inputSchema": {"type": "object"}}]`,
    "tools/call": `"content": [], "structuredContent": {"id": ${big}}`,
    "resources/list": `"resources": [{"uri": "x://1", "name": "x"}]`,
    "resources/templates/list": `"resourceTemplates": []`,
    "resources/read": `"contents": [{"uri": "x://1", "text": "", "_meta": {"id": ${big}}}]`,
  };
  const program = `const answers = ${JSON.stringify(answers)};
    for await (const line of console) {
      const { id, method } = JSON.parse(line);
      const result = '{"resultType": "complete", "ttlMs": 0, "cacheScope": "private", ' + answers[method] + "}";
      if (id !== undefined) console.log('{"jsonrpc": "2.0", "id": ' + id + ', "result": ' + result + "}");
    }`;
  const server = { command: process.execPath, args: ["-e", program] };
  await using kit = gatewayOver({ a: server, b: server });
  const one = await session(kit);
  const params = { name: "a_big", arguments: {} };
  const called = await one.ask({ json: { jsonrpc: "2.0", id: 1, method: "tools/call", params } });
  expect(await called.text()).toContain(`"structuredContent":{"id":${big}}`);
  const read = { uri: "mcphost:a/x://1" };
  const reading = { json: { jsonrpc: "2.0", id: 2, method: "resources/read", params: read } };
  expect(await (await one.ask(reading)).text()).toContain(`"_meta":{"id":${big}}`);
});
