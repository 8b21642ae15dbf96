/** What a host keeps of a modern server's answers, and for how long; and that it notices when they are wrong. */
import { expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { createHost } from "../../lib/host/create.ts";
import type { Host } from "../../lib/host/types.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import type { RemoteServer } from "../fixtures/remote/server.ts";
import { waitFor } from "../processes.ts";

async function hostOf({ url }: RemoteServer): Promise<Host> {
  return await createHost({ servers: { far: { url, transport: "http" } } });
}

/** How often a method arrived. */
function count(server: RemoteServer, method: string): number {
  return server.methods().filter((one) => one === method).length;
}

test("reads and lists are asked for once while they are fresh", async () => {
  await using server = await serveRemote({ transport: "http", era: "modern", ttlMs: 60_000 });
  await using host = await hostOf(server);
  for (let time = 0; time < 2; time++) {
    expect((await host.read({ uri: "note://one" })).warnings).toEqual([]);
    await host.resources();
    await host.prompt({ prompt: "plain" });
    await host.tools();
  }
  const counts = [
    "resources/read",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "tools/list",
  ];
  for (const method of counts) expect([method, count(server, method)]).toEqual([method, 1]);
  expect(count(server, "prompts/get")).toBe(2);
});

test("without a time each is asked for again, but a call needs no new list", async () => {
  await using server = await serveRemote({ transport: "http", era: "modern", ttlMs: 0 });
  await using host = await hostOf(server);
  for (let time = 0; time < 2; time++) {
    await host.read({ uri: "note://one" });
    await host.prompts();
    await host.tools();
    const outcome = await host.call({ tool: "echo", arguments: { text: "a" } });
    expect(outcome.status).toBe("completed");
  }
  for (const method of ["resources/read", "prompts/list", "tools/list", "tools/call"])
    expect([method, count(server, method)]).toEqual([method, 2]);
});

test("what the server tells of is fetched anew at once", async () => {
  await using server = await serveRemote({ transport: "http", era: "modern", ttlMs: 60_000 });
  await using host = await hostOf(server);
  // Whoever listens hears of changes.
  const events = host.events()[Symbol.asyncIterator]();
  void events.next();
  expect((await host.prompts()).prompts).toHaveLength(4);
  server.state.grown.add("prompts");
  await waitFor(async () => {
    // Told until somebody listens.
    server.state.tell({ kind: "list", list: "prompts" });
    return (await host.prompts()).prompts.length === 5;
  }, "the new prompt");
  await events.return?.();
});

function echo(args: JsonObject): JsonObject {
  return { content: [{ type: "text", text: JSON.stringify(args) }] };
}

/** A server with one tool whose schema the test changes. */
async function changing(ttlMs: number) {
  const tool = { name: "changes", inputSchema: { type: "object" } as JsonObject };
  const server = await serveRemote({
    transport: "http",
    era: "modern",
    ttlMs,
    tools: [{ tool, run: echo }],
  });
  const wants = (type: string) => {
    tool.inputSchema = { type: "object", properties: { n: { type } }, required: ["n"] };
  };
  wants("integer");
  return { server, wants };
}

test("arguments that do not fit an old list may fit a new one", async () => {
  const { server, wants } = await changing(0);
  await using _ = server;
  await using host = await hostOf(server);
  const call = (n: number | string) => host.call({ tool: "changes", arguments: { n } });
  expect((await call(1)).status).toBe("completed");
  wants("string");
  expect((await call("one")).status).toBe("completed");
  expect([count(server, "tools/list"), count(server, "tools/call")]).toEqual([2, 2]);
  // What fits neither is refused, and was not sent.
  const outcome = await call(2);
  expect([outcome.status, outcome.status === "failed" && outcome.error?.code]).toEqual([
    "failed",
    "usage",
  ]);
  expect(count(server, "tools/call")).toBe(2);
});

test("while a list is fresh, its word holds", async () => {
  const { server, wants } = await changing(60_000);
  await using _ = server;
  await using host = await hostOf(server);
  expect((await host.call({ tool: "changes", arguments: { n: 1 } })).status).toBe("completed");
  wants("string");
  expect((await host.call({ tool: "changes", arguments: { n: "one" } })).status).toBe("failed");
  expect(count(server, "tools/list")).toBe(1);
});

test("a server that refuses arguments, or a tool, is asked for its list before the next call", async () => {
  const { server, wants } = await changing(60_000);
  await using _ = server;
  await using host = await hostOf(server);
  await host.call({ tool: "changes", arguments: { n: 1 } });
  wants("string");
  const refused = await host.call({ tool: "changes", arguments: { n: 1 } });
  expect(refused.status === "failed" && refused.error?.facts.rpcCode).toBe(-32602);
  expect((await host.call({ tool: "changes", arguments: { n: "one" } })).status).toBe("completed");
  expect(count(server, "tools/list")).toBe(2);
  // A name that the list has not: perhaps it has it by now.
  server.state.change("tools");
  expect((await host.call({ tool: "extra" })).status).toBe("completed");
  expect(count(server, "tools/list")).toBe(3);
});
