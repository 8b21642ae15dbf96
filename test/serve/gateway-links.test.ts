/** The gateway over links in both directions: HTTP+SSE and WebSocket, by the official client and by raw bytes. */
import { describe, expect, test } from "bun:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { waitFor } from "../processes.ts";
import { enveloped, full, gatewayOver, textOf } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";

const info = { name: "test", version: "1" };

const ways = {
  sse: (url: string) => new SSEClientTransport(new URL(`${url}/sse`)),
  ws: (url: string) => new WebSocketClientTransport(new URL(`${url.replace("http", "ws")}/ws`)),
  "sse of one server": (url: string) => new SSEClientTransport(new URL(`${url}/sse/server`)),
  "ws of one server": (url: string) =>
    new WebSocketClientTransport(new URL(`${url.replace("http", "ws")}/ws/server`)),
};

describe.each(Object.entries(ways))("%s", (_name, transport) => {
  test.each(["legacy", "modern"] as const)("the client of 1.x to a %s server", async (era) => {
    await using kit = gatewayOver({ server: full(era) });
    const client = new Client(info);
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
    await client.connect(transport(kit.served.url) as never);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("echo");
    const steps: number[] = [];
    await client.callTool({ name: "slow", arguments: { steps: 3, ms: 20 } }, undefined, {
      onprogress: ({ progress }) => void steps.push(progress),
    });
    // The client of 1.x drops a progress that comes in one chunk with the answer, as the last one may.
    expect(steps.slice(0, 2)).toEqual([1, 2]);
    expect(steps.slice(2)).toEqual(steps.length === 2 ? [] : [3]);
    await client.callTool({ name: "change", arguments: { list: "tools" } });
    await waitFor(() => changes === 1);
    const hanging = client.callTool({ name: "hang" }).catch(() => {});
    await waitFor(() => kit.logged.some(({ text }) => text === "tools/call of hang is sent"));
    await client.close();
    await hanging;
    // Who leaves such a link has cancelled.
    await waitFor(async () => {
      const outcome = await kit.host.call({ tool: "cancelled" });
      return outcome.status === "completed" && textOf({ result: outcome.result }) === "1";
    });
  });
});

test("both eras on one socket, bad JSON, and an answer to what runs when we stop", async () => {
  const kit = gatewayOver({ server: full() });
  const socket = new WebSocket(`${kit.served.url.replace("http", "ws")}/ws`);
  const all: Told[] = [];
  socket.addEventListener("message", ({ data }) => void all.push(JSON.parse(String(data)) as Told));
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener("close", ({ code }) => resolve(code)),
  );
  const send = (message: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  send({ id: 1, method: "server/discover", params: enveloped() });
  send({ id: 2, method: "tools/list" });
  socket.send("{");
  await waitFor(() => all.length === 3);
  const code = (id: unknown) => all.find((one) => one.id === id)?.error?.code;
  expect([code(1), code(2), code(null)]).toEqual([undefined, -32600, -32700]);
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: info };
  const greeting = { jsonrpc: "2.0", method: "initialize", params };
  socket.send(
    JSON.stringify([
      { ...greeting, id: "early" },
      { ...greeting, id: 3 },
    ]),
  );
  send({ id: 4, method: "tools/call", params: { name: "slow", arguments: { steps: 1, ms: 200 } } });
  await waitFor(() => all.some(({ id }) => id === 3));
  expect(code("early")).toBe(-32600);
  const stopped = kit[Symbol.asyncDispose]();
  expect(await closed).toBe(1001);
  expect(textOf(all.find(({ id }) => id === 4))).toBe("done after 1 steps");
  await stopped;
});

test("an address to post to is for its own owner, as long as its stream is open", async () => {
  const tokens = [
    { name: "a", token: "token-of-a" },
    { name: "b", token: "token-of-b" },
  ];
  await using kit = gatewayOver({ server: full() }, { tokens });
  const response = await kit.ask("/sse", { token: "token-of-a" });
  const reader = response.body!.getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  const [, path = ""] = /^event: endpoint\ndata: (.*)\n\n$/.exec(first) ?? [];
  const json = { jsonrpc: "2.0", id: 1, method: "ping" };
  expect((await kit.ask(path, { json, token: "token-of-a" })).status).toBe(202);
  expect((await kit.ask(path, { json, token: "token-of-b" })).status).toBe(404);
  expect(
    (
      await kit.ask(path, {
        method: "POST",
        body: "{",
        headers: { "content-type": "application/json" },
        token: "token-of-a",
      })
    ).status,
  ).toBe(400);
  expect(
    (await kit.ask("/messages?sessionId=__proto__", { json, token: "token-of-a" })).status,
  ).toBe(404);
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('"result":{}');
  await reader.cancel();
  await waitFor(async () => (await kit.ask(path, { json, token: "token-of-a" })).status === 404);
});

test.each(["/ws/none", "/sse/none", "/ws/__proto__"])("%s is nobody's", async (path) => {
  await using kit = gatewayOver({ server: full() });
  expect((await kit.ask(path)).status).toBe(404);
  expect((await kit.ask("/ws")).status).toBe(426);
});
