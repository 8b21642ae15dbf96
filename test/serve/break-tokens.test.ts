/** What clients have open when their token is taken back, or is for fewer tools than before. */
import { afterAll, beforeAll, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { type Configured, entry, serveConfig } from "./config-kit.ts";

const [secret, other] = ["secret-of-ci-1234567", "secret-of-other-1234567"];
const accept = "application/json, text/event-stream";
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "k", version: "1" },
  },
};

let it: Configured;
beforeAll(async () => {
  it = await serveConfig(withToken({}));
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

test("a token that is for fewer tools now, or counts no more: nothing stays open beyond it", async () => {
  const link = await socket(secret);
  const begun = await it.ask("/mcp", { json: initialize, token: secret, headers: { accept } });
  await begun.text();
  const headers = { accept, "mcp-session-id": begun.headers.get("mcp-session-id")! };
  const listed = async (id: number) => {
    const message = { jsonrpc: "2.0", id, method: "tools/list" };
    const answer = await it.ask("/mcp", { json: message, token: secret, headers });
    return [namesIn(await answer.text()), namesIn(await link.ask(message))];
  };
  const streams = await Promise.all([
    it.ask("/mcp", { token: secret, headers: { ...headers, accept: "text/event-stream" } }),
    it.ask("/events", { token: secret }),
    it.ask("/sse", { token: secret }),
    it.ask("/mcp", listening),
  ]);
  const ended = Promise.all(streams.map((stream) => stream.text()));
  expect(await listed(1)).toEqual([usual, usual]);

  await it.write(withToken({ tools: ["echo"] }));
  const sees = async () => (await (await it.ask("/tools", { token: secret })).json()) as unknown[];
  await waitFor(async () => (await sees()).length === 1);
  expect(await listed(2)).toEqual([["echo"], ["echo"]]);

  await it.write(withToken(undefined));
  await waitFor(async () => (await it.ask("/tools", { token: secret })).status === 401);
  await ended;
  expect(await link.closed).toBe(1008);
}, 20_000);

// --- internal ---

const usual = ["echo", "pid", "silent", "wait"];

/** `subscriptions/listen`, which lasts. */
const listening = {
  token: secret,
  json: {
    jsonrpc: "2.0",
    id: 1,
    method: "subscriptions/listen",
    params: {
      notifications: { toolsListChanged: true },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  },
  headers: {
    accept,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "subscriptions/listen",
  },
};

function withToken(more: object | undefined): object {
  const tokens = [{ name: "other", token: other }];
  const ours = more && { name: "ci", token: secret, ...more };
  return { mcpServers: { one: entry() }, serve: { tokens: ours ? [ours, ...tokens] : tokens } };
}

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/"name":"(echo|pid|silent|wait)"/g), ([, name]) => name!);
}

/** A legacy client over WebSocket. */
async function socket(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const ws = new WebSocket(`${it.url.replace("http", "ws")}/ws`, { headers } as object);
  const answers = new Map<number, (text: string) => void>();
  const closed = Promise.withResolvers<number>();
  ws.addEventListener("close", ({ code }) => closed.resolve(code));
  ws.addEventListener("message", ({ data }) => {
    const { id } = JSON.parse(String(data)) as { id?: number };
    if (id !== undefined) answers.get(id)?.(String(data));
  });
  await new Promise((resolve) => ws.addEventListener("open", resolve));
  const ask = (message: { id: number }) =>
    new Promise<string>((resolve) => {
      answers.set(message.id, resolve);
      ws.send(JSON.stringify(message));
    });
  await ask(initialize);
  return { ask, closed: closed.promise };
}
