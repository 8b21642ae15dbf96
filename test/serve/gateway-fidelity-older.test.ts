/** An older server-everything, whose lists have pages and whose clients are not looked at, through the gateway and without it. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

import { root } from "../harness.ts";
import { connected, withoutChance } from "./gateway-fidelity-kit.ts";
import { linksTo } from "./gateway-links-kit.ts";

const program = join(root, "node_modules/server-everything-2025.8.18/dist/index.js");
const fixture = { command: process.execPath, args: [program], env: {} };

const calls: [string, Record<string, unknown>][] = [
  ["echo", { message: "hello" }],
  ["add", { a: 2, b: 40 }],
  ["sampleLLM", { prompt: "Say hello.", maxTokens: 7 }],
  ["getTinyImage", {}],
  ["annotatedMessage", { messageType: "debug", includeImage: true }],
  ["getResourceReference", { resourceId: 3 }],
  ["startElicitation", {}],
  ["getResourceLinks", { count: 4 }],
  ["structuredContent", { location: "Bonn" }],
];

test.each(["http", "stdio"] as const)(
  "over %s",
  async (way) => {
    await using links = await linksTo(way, fixture);
    const { command, args } = fixture;
    const direct = await observe(new StdioClientTransport({ command, args, stderr: "ignore" }));
    expect(direct["resources"]).toHaveLength(100);
    expect(direct["asked"]).toHaveLength(2);
    expect(await observe(links.link())).toEqual(direct);
  },
  30_000,
);

async function observe(link: Transport): Promise<Record<string, unknown>> {
  const { client, heard, asked } = await connected(link);
  const observed: Record<string, unknown> = { tools: (await client.listTools()).tools };
  for (const [name, args] of calls)
    observed[name] = await client.callTool({ name, arguments: args });
  await client.callTool(
    { name: "longRunningOperation", arguments: { duration: 0.2, steps: 4 } },
    undefined,
    { onprogress: () => {} },
  );
  observed["progress"] = heard("notifications/progress").map(({ progress, total }) => [
    progress,
    total,
  ]);
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listResources({ cursor });
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  observed["resources"] = uris;
  observed["read"] = await client.readResource({ uri: uris[1] ?? "" });
  observed["prompts"] = (await client.listPrompts()).prompts;
  observed["completion"] = await client.complete({
    ref: { type: "ref/prompt", name: "complex_prompt" },
    argument: { name: "style", value: "c" },
  });
  observed["asked"] = asked;
  await client.close();
  return withoutChance(observed);
}
