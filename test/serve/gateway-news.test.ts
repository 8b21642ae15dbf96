/** What servers tell of a running call, as strict clients of the gateway take it: progress that grows, levels that there are. */
import { expect, test } from "bun:test";

import { entry } from "../cases/kit.ts";
import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { collect, gatewayOver, modernInit, session, told } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";

const params = (all: readonly Told[], method: string) =>
  all.filter((one) => one.method === `notifications/${method}`).map((one) => one.params);

test("progress that does not grow, and levels that nobody knows, are not handed on", async () => {
  await using kit = gatewayOver({ s: entry("talk.odd-news") });
  const legacy = await session(kit);
  const asked = { name: "fault", arguments: {} };
  const meta = { progressToken: 7, "io.modelcontextprotocol/logLevel": "debug" };
  await told(await legacy.request("logging/setLevel", { level: "debug" }));
  const ways = [
    () => legacy.call("fault", {}, 5, { progressToken: 7 }),
    () => kit.ask("/mcp", modernInit("tools/call", asked, { meta })),
  ];
  for (const way of ways) {
    const all = await told(await way());
    expect(params(all, "progress")).toEqual([
      { progressToken: 7, progress: 1, message: "a" },
      { progressToken: 7, progress: 2.5, total: 3 },
      { progressToken: 7, progress: 3 },
    ]);
    expect(params(all, "message")).toEqual([
      { level: "warning", data: "warn" },
      { level: "critical", logger: "l", data: "FATAL" },
      { level: "error", data: "Error" },
      { level: "debug", data: "trace" },
      { level: "notice", data: "notice" },
    ]);
    expect(all.at(-1)).toMatchObject({ result: { content: [{ text: "right" }] } });
  }
  const texts = kit.logged.filter(({ level }) => level === "debug").map(({ text }) => text);
  for (const level of ['"loud"', "5", "missing"])
    expect(texts).toContain(`a log of its is not handed on: its level is ${level}`);
});

/** A server whose tools are the lines of a file when it was started; `one` ends it. */
const fickle = `
const names = (await Bun.file(process.argv[1]).text()).trim().split("\\n");
const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
for await (const line of console) {
  const { id, method, params } = JSON.parse(line);
  if (method === "tools/call" && params.name === "one") process.exit(1);
  const { protocolVersion } = params ?? {};
  const result = method === "initialize"
    ? { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "f", version: "1" } }
    : method === "tools/call" ? { content: [] } : { tools };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(method === "server/discover" ? { error: { code: -32601, message: "no" } } : { result }) }));
}`;

test("a server that comes back with other tools is news, one with the same is none", async () => {
  await using dir = await tempDir();
  const file = dir.file("tools");
  await Bun.write(file, "one\nlives\n");
  const args = ["-e", fickle, file];
  await using kit = gatewayOver({ s: { command: process.execPath, args, prefix: "" } });
  const client = await session(kit);
  const news = collect(await client.ask({ headers: { accept: "text/event-stream" } }));
  const changes = () => params(news, "tools/list_changed").length;
  const lists = () => kit.logged.filter(({ text }) => text.startsWith("tools listed")).length;
  const dies = async () => {
    const before = lists();
    await told(await client.call("one"));
    // So that it is no storm.
    await Bun.sleep(1100);
    await told(await client.call("lives"));
    await waitFor(() => lists() > before);
  };
  await told(await client.request("tools/list"));
  await dies();
  await Bun.sleep(150);
  expect(changes()).toBe(0);
  await Bun.write(file, "one\nlives\ntwo\n");
  await dies();
  await waitFor(() => changes() === 1);
});
