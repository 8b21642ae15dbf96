/** The official clients of both generations through the gateway, over HTTP and stdio, to servers of both eras. */
import { describe, expect, test } from "bun:test";

import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

import { sourceProgram, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { full, gatewayOver } from "./gateway-kit.ts";

/** The command of the gateway over one fixture server, and an environment of its own. */
async function gatewayCommand(era: "legacy" | "modern") {
  const home = await tempDir();
  const { command, args = [] } = full(era);
  return {
    command: sourceProgram[0]!,
    args: [...sourceProgram.slice(1), "gateway", "--no-user-config", "--", command!, ...args],
    env: { PATH: process.env["PATH"] ?? "", HOME: home.path, XDG_CACHE_HOME: home.path },
    cwd: home.path,
    stderr: "pipe" as const,
    home,
  };
}

/** Connects by a way, works, and takes everything down. */
async function over(
  way: "http" | "stdio",
  era: "legacy" | "modern",
  work: (
    open: { url: URL } | { command: Awaited<ReturnType<typeof gatewayCommand>> },
  ) => Promise<void>,
): Promise<void> {
  if (way === "http") {
    await using kit = gatewayOver({ server: full(era) });
    return await work({ url: new URL(`${kit.served.url}/mcp`) });
  }
  const command = await gatewayCommand(era);
  await using _home = command.home;
  await work({ command });
}

const info = { name: "test", version: "1" };

/** Progress in its order. What comes in one piece with the answer, these clients drop on pipes. */
function expectSteps(steps: readonly number[]): void {
  expect(steps.length).toBeGreaterThan(0);
  expect(steps).toEqual([1, 2, 3].slice(0, steps.length));
}

describe.each([
  ["http", "legacy"],
  ["http", "modern"],
  ["stdio", "legacy"],
  ["stdio", "modern"],
] as const)("over %s to a %s server", (way, era) => {
  test("the client of 1.x", async () => {
    await over(way, era, async (open) => {
      const client = new Client(info);
      const heard: string[] = [];
      client.setNotificationHandler(
        ToolListChangedNotificationSchema,
        () => void heard.push("tools"),
      );
      client.setNotificationHandler(
        ResourceUpdatedNotificationSchema,
        ({ params }) => void heard.push(params.uri),
      );
      client.setNotificationHandler(
        LoggingMessageNotificationSchema,
        ({ params }) => void heard.push(params.level),
      );
      await client.connect(
        ("url" in open
          ? new StreamableHTTPClientTransport(open.url)
          : new StdioClientTransport(open.command)) as never,
      );
      expect(client.getServerVersion()).toMatchObject({ name: "mcphost" });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("echo");
      expect(tools.find(({ name }) => name === "structured")?.outputSchema).toMatchObject({
        type: "object",
      });
      expect(
        await client.callTool({ name: "structured", arguments: { city: "Bonn" } }),
      ).toMatchObject({
        structuredContent: { city: "Bonn", degrees: 21.5 },
      });
      const mixed = await client.callTool({ name: "mixed" });
      expect(mixed.content).toMatchObject([
        { type: "text" },
        { type: "image" },
        { type: "resource_link" },
        { type: "resource" },
      ]);
      expect(mixed._meta).toEqual({ "example.org/kept": { deep: [1, 2.5, null] } });
      expect(mixed).not.toHaveProperty("resultType");
      const steps: number[] = [];
      await client.callTool({ name: "slow", arguments: { steps: 3, ms: 100 } }, undefined, {
        onprogress: ({ progress }) => void steps.push(progress),
      });
      expectSteps(steps);
      expect((await client.callTool({ name: "fail" })).isError).toBe(true);
      expect(
        await client.callTool({ name: "must_work", arguments: { steps: 1, ms: 1 } }),
      ).toMatchObject({
        content: [{ text: "done after 1 steps" }],
      });
      const misfit = await client.callTool({ name: "echo", arguments: { text: 5 } });
      expect(misfit).toMatchObject({ isError: true, content: [{ type: "text" }] });
      expect(
        client.callTool({ name: "refuse", arguments: { code: -32050 } }),
      ).rejects.toMatchObject({ code: -32050 });
      expect(
        client.callTool({ name: "refuse", arguments: { code: -32020 } }),
      ).rejects.toMatchObject({ code: -32603 });
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain("note://one");
      expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
      expect((await client.readResource({ uri: "note://one" })).contents).toMatchObject([
        { text: "first" },
      ]);
      expect(client.readResource({ uri: "none://x" })).rejects.toMatchObject({ code: -32002 });
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toContain("greet");
      const greeting = await client.getPrompt({ name: "greet", arguments: { name: "Ada" } });
      expect(greeting.messages).toMatchObject([{ content: { text: "Greet Ada." } }]);
      expect(client.getPrompt({ name: "greet" })).rejects.toMatchObject({ code: -32602 });
      const { completion } = await client.complete({
        ref: { type: "ref/prompt", name: "greet" },
        argument: { name: "style", value: "" },
      });
      expect(Array.isArray(completion.values)).toBe(true);
      await client.ping();
      await client.setLoggingLevel("debug");
      await client.callTool({ name: "log", arguments: { level: "info" } });
      await client.subscribeResource({ uri: "note://one" });
      await client.callTool({ name: "touch", arguments: { uri: "note://one" } });
      await client.callTool({ name: "change", arguments: { list: "tools" } });
      await waitFor(() => heard.length >= 3);
      expect(heard.toSorted()).toEqual(["info", "note://one", "tools"]);
      await client.close();
    });
  }, 30_000);

  test("the client of 2.x finds a modern server", async () => {
    await over(way, era, async (open) => {
      const client = new ModernClient(info, { versionNegotiation: { mode: "auto" } });
      await client.connect(
        "url" in open ? new ModernHttp(open.url) : new ModernStdio(open.command),
      );
      expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("region");
      const region = { region: "näh", priority: 3, urgent: true, query: "q" };
      const called = await client.callTool({ name: "region", arguments: region });
      expect(called.content).toMatchObject([{ text: JSON.stringify(region) }]);
      expect(
        await client.callTool({ name: "structured", arguments: { city: "Bonn" } }),
      ).toMatchObject({
        structuredContent: { city: "Bonn", degrees: 21.5 },
      });
      const steps: number[] = [];
      await client.callTool(
        { name: "slow", arguments: { steps: 3, ms: 100 } },
        { onprogress: ({ progress }) => void steps.push(progress) },
      );
      expectSteps(steps);
      expect((await client.readResource({ uri: "note://one" })).contents).toMatchObject([
        { text: "first" },
      ]);
      expect(client.readResource({ uri: "none://x" })).rejects.toMatchObject({ code: -32602 });
      expect((await client.getPrompt({ name: "plain" })).messages).toHaveLength(1);
      await client.close();
    });
  }, 30_000);
});
