/** Bodies that are nested too deeply cost next to nothing, and nobody else waits for them. */
import { expect, test } from "bun:test";

import { readJson } from "../../lib/serve/read-json.ts";
import { answerTo, session, told } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";
import { seen } from "./rest-kit.ts";

const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}`;

test("what may be nested, and what may not", () => {
  expect(JSON.stringify(readJson(nested(2000)))).toBe(nested(2000));
  expect(() => readJson(nested(2002))).toThrow("nested more than 2000 deep");
  expect(() => readJson("[".repeat(8_000_000))).toThrow(SyntaxError);
  // Brackets of strings are none, whatever is escaped before their end.
  for (const text of [`"${"[".repeat(5000)}"`, `["\\\\","${'\\"['.repeat(5000)}"]`])
    expect(readJson(text)).toEqual(JSON.parse(text));
  expect(() => readJson(`"${"[".repeat(5000)}`)).toThrow(SyntaxError);
  expect(readJson(`[${"[],".repeat(5000)}1]`)).toHaveLength(5001);
});

test("are refused by every face, and reach no server", async () => {
  await using it = serveOver({ s: {} });
  const headers = { "content-type": "application/json" };
  const ask = (path: string, body: string) => seen(it.ask(path, { method: "POST", body, headers }));
  const deep = nested(100_000);
  expect(await ask("/tools", `{"tool":"s_echo","params":${deep}}`)).toMatchObject({
    status: 400,
    body: { error: { code: "bad_request", message: expect.stringContaining("nested") } },
  });
  expect((await ask("/tools/s_echo", deep)).status).toBe(400);
  const client = await session(it);
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s_echo","arguments":${deep}}}`;
  const refused = await client.ask({ method: "POST", body, headers });
  expect(refused.status).toBe(400);
  expect(answerTo(await told(refused))).toBeUndefined();
  expect(it.logged.filter(({ text }) => text.includes("tools/call"))).toEqual([]);
  const socket = new WebSocket(`${it.served.url.replace("http", "ws")}/ws`);
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.addEventListener("open", () => socket.send(body));
  socket.addEventListener("message", ({ data }) => resolve(String(data)));
  expect(JSON.parse(await promise)).toMatchObject({ id: null, error: { code: -32700 } });
  socket.close();
});
