/**
 * server-everything as an official client 1.x sees it that answers everything: through the gateway, over each link, it is
 * what it is without the gateway, but for what the gateway says of itself.
 */
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { McpError } from "@modelcontextprotocol/sdk/types.js";

import { root } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { connected, withoutChance } from "./gateway-fidelity-kit.ts";
import { linksTo, ways } from "./gateway-links-kit.ts";

const program = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const fixture = { command: process.execPath, args: [program], env: {} };

/** What is the same for everybody. */
let direct: Record<string, unknown>;

beforeAll(async () => {
  const { command, args } = fixture;
  direct = await observe(new StdioClientTransport({ command, args, stderr: "ignore" }));
}, 30_000);

test("without the gateway there is something to compare", () => {
  const { tools, progress, asked, ...more } = direct as Record<string, unknown[]>;
  expect(tools?.length).toBeGreaterThan(15);
  expect(progress).toMatchObject([1, 2, 3, 4].map((step) => ({ progress: step, total: 4 })));
  expect(asked).toMatchObject([
    { method: "roots/list" },
    { method: "sampling/createMessage", params: { maxTokens: 7 } },
    { method: "elicitation/create" },
    { method: "elicitation/create", params: { mode: "url" } },
    { method: "roots/list" },
  ]);
  expect(more["cancelled"]).toMatchObject({ error: expect.stringContaining("enough") });
});

test.each(ways)(
  "over %s",
  async (way) => {
    await using links = await linksTo(way, fixture);
    const observed = await observe(links.link());
    for (const [what, value] of Object.entries(observed))
      expect({ [what]: value }).toEqual({ [what]: direct[what] });
    expect(Object.keys(observed)).toEqual(Object.keys(direct));
  },
  30_000,
);

/** Does everything that can be done, and gives what came of it. */
async function observe(link: Transport): Promise<Record<string, unknown>> {
  const { client, heard, asked } = await connected(link);
  const observed: Record<string, unknown> = {};
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    observed[`${name} ${JSON.stringify(args)}`] = await client.callTool({ name, arguments: args });
  };
  // Behind the gateway it is started when it is first asked. What it has depends on what its client answers, which it
  // finds out after the greeting.
  await client.listTools();
  await waitFor(() => heard("notifications/message").length > 0);
  const { tools } = await client.listTools();
  observed["tools"] = tools.map((tool) => ({ ...tool, execution: undefined }));
  observed["instructions"] = client.getInstructions();
  await call("echo", { message: "hello" });
  await call("get-sum", { a: 2, b: 40 });
  await call("get-tiny-image");
  await call("get-structured-content", { location: "Chicago" });
  await call("get-annotated-message", { messageType: "error", includeImage: true });
  await call("get-resource-links", { count: 3 });
  await call("get-resource-reference", { resourceType: "Text", resourceId: 1 });
  await call("trigger-sampling-request", { prompt: "Say hello.", maxTokens: 7 });
  await call("trigger-elicitation-request");
  await call("trigger-url-elicitation", { url: "https://example.com/a?b=c", elicitationId: "e-1" });
  await call("get-roots-list");
  await client.callTool(
    { name: "trigger-long-running-operation", arguments: { duration: 0.2, steps: 4 } },
    undefined,
    { onprogress: () => {} },
  );
  observed["progress"] = heard("notifications/progress").map((progress) => ({
    ...progress,
    progressToken: undefined,
  }));
  observed["cancelled"] = await cancelled(client);
  const misfit = await client.callTool({ name: "get-sum", arguments: { a: "x" } });
  observed["misfit"] = misfit.isError;
  observed["refused"] = await client
    .callTool({
      name: "trigger-url-elicitation",
      arguments: { url: "https://example.com/", errorPath: true, elicitationId: "e-2" },
    })
    .catch(({ code, data }: McpError) => ({ code, data }));
  observed["prompts"] = await client.listPrompts();
  observed["prompt"] = await client.getPrompt({
    name: "args-prompt",
    arguments: { city: "Bonn", state: "NRW" },
  });
  observed["completion"] = await completions(client);
  const resources = (await client.listResources()).resources;
  observed["resources"] = resources.map(({ uri, name, mimeType }) => ({ uri, name, mimeType }));
  observed["templates"] = await client.listResourceTemplates();
  observed["read"] = await client.readResource({ uri: resources[0]?.uri ?? "" });
  observed["logs"] = heard("notifications/message");
  await client.callTool({ name: "toggle-simulated-logging" });
  await waitFor(() => heard("notifications/message").length > 1);
  observed["more logs"] = heard("notifications/message").length;
  await client.setLoggingLevel("emergency");
  await client.sendRootsListChanged();
  await waitFor(() => asked.filter(({ method }) => method === "roots/list").length > 1);
  observed["asked"] = asked;
  await client.close();
  return withoutChance(observed);
}

/** A call that is given up, and whether the server is still of use. */
async function cancelled(client: Client): Promise<unknown> {
  const abort = new AbortController();
  const given = client
    .callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 30, steps: 3 } },
      undefined,
      { signal: abort.signal },
    )
    .catch((error: unknown) => String(error));
  await Bun.sleep(100);
  abort.abort("enough");
  const error = await given;
  const { content } = await client.callTool({ name: "echo", arguments: { message: "still here" } });
  return { error, content };
}

async function completions(client: Client): Promise<unknown[]> {
  const prompt = { type: "ref/prompt" as const, name: "completable-prompt" };
  const template = {
    type: "ref/resource" as const,
    uri: "demo://resource/dynamic/text/{resourceId}",
  };
  return await Promise.all([
    client.complete({ ref: prompt, argument: { name: "department", value: "S" } }),
    client.complete({
      ref: prompt,
      argument: { name: "name", value: "" },
      context: { arguments: { department: "Sales" } },
    }),
    client.complete({ ref: template, argument: { name: "resourceId", value: "1" } }),
  ]);
}
