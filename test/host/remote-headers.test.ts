/** Arguments that go into headers, over HTTP to modern servers. */
import { expect, test } from "bun:test";

import { serveRemote } from "../fixtures/remote/server.ts";
import type { FixtureTool } from "../fixtures/remote/tool-types.ts";
import { textOf } from "./kit.ts";
import { hostOf, restartable } from "./remote-kit.ts";

const region = (header: string): FixtureTool => ({
  tool: {
    name: "place",
    inputSchema: { type: "object", properties: { at: { type: "string", "x-mcp-header": header } } },
  },
  run: ({ at }) => ({ content: [{ type: "text", text: `at ${String(at)}` }] }),
});

test("arguments that the schema marks go into headers, over HTTP to a modern server", async () => {
  await using server = await serveRemote({
    transport: "http",
    era: "modern",
    tools: [region("Place")],
  });
  await using host = await hostOf(server);
  expect(textOf(await host.call({ tool: "place", arguments: { at: "Zürich" } }))).toBe("at Zürich");
  expect(server.requests.at(-1)?.headers["mcp-param-place"]).toBe("=?base64?WsO8cmljaA==?=");
});

test("a call that lacked its headers is sent once more after a look at the list", async () => {
  await using server = await serveRemote({
    transport: "http",
    era: "modern",
    tools: [region("Place")],
  });
  await using host = await hostOf(server);
  const call = { tool: "place", arguments: { at: "home" }, validate: false };
  expect(textOf(await host.call(call))).toBe("at home");
  expect(server.methods()).toEqual(["server/discover", "tools/call", "tools/list", "tools/call"]);
});

test("headers that are refused a second time are the server's last word", async () => {
  const error = { code: -32020, message: "headers do not match" };
  await using server = await serveRemote({
    transport: "http",
    era: "modern",
    intercept: ({ message }) =>
      message !== undefined &&
      "method" in message &&
      "id" in message &&
      message.method === "tools/call"
        ? Response.json({ jsonrpc: "2.0", id: message.id, error }, { status: 400 })
        : undefined,
  });
  await using host = await hostOf(server);
  const outcome = await host.call({ tool: "echo", arguments: { text: "hi" } });
  expect(outcome).toMatchObject({
    status: "failed",
    error: { code: "rpc_error", facts: { rpcCode: -32020 } },
  });
  expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(2);
});

test.each(restartable)(
  "a tool with a bad header is left out over modern HTTP alone: %s",
  async (kind, options) => {
    await using server = await serveRemote({ ...options, tools: [region("not a name")] });
    await using host = await hostOf(server);
    const { tools, warnings } = await host.tools();
    const isHttp = kind === "http, modern" || kind === "http, both eras";
    expect(tools.some(({ tool }) => tool === "place")).toBe(!isHttp);
    expect(tools.some(({ tool }) => tool === "echo")).toBe(true);
    const told = warnings.filter(({ text }) =>
      /place.*not a name of a header.*left out/.test(text),
    );
    expect(told).toHaveLength(isHttp ? 1 : 0);
    for (const tool of ["place", `${host.servers()[0]?.name}.place`]) {
      const outcome = await host.call({ tool, arguments: { at: "home" } });
      if (!isHttp) expect(outcome.status).toBe("completed");
      else
        expect(outcome).toMatchObject({
          status: "denied",
          error: {
            code: "denied",
            message: expect.stringMatching(/^place of server .* name of a header/),
          },
        });
    }
  },
);
