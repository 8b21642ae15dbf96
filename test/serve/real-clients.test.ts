/**
 * Clients that others wrote, as the programs that people run, over every transport that they have: the inspector's
 * command line, mcporter, and mcp-remote between an official client and us. All of them run on Bun.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

import { bunAlone, expectRun, mcphost, root, sourceProgram, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { full, gatewayOver } from "./gateway-kit.ts";

const installed = (path: string) => [...bunAlone, join(root, "node_modules", path)];
const inspector = installed("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const mcporter = installed("mcporter/dist/cli.js");
const mcpRemote = installed("mcp-remote/dist/proxy.js");

const accepted = { action: "accept" as const, content: { name: "Ada" } };
const sampled = {
  role: "assistant" as const,
  model: "none",
  content: { type: "text" as const, text: "hello" },
};
const rooted = { roots: [{ uri: "file:///work", name: "work" }] };

/** A gateway over a legacy and a modern server, and a config that has it by each of its ways. */
async function offered() {
  const stack = new AsyncDisposableStack();
  const home = stack.use(await tempDir());
  const kit = stack.use(gatewayOver({ old: full("legacy"), new: full("modern") }));
  await kit.served.context.discovery.done;
  const { command = "", args = [] } = full("legacy");
  await Bun.write(
    home.file("servers.json"),
    JSON.stringify({ mcpServers: { s: { command, args } } }),
  );
  const config = home.file("clients.json");
  const [program = "", ...before] = sourceProgram;
  const mcpServers = {
    http: { url: `${kit.served.url}/mcp/old`, type: "http" },
    "http-new": { url: `${kit.served.url}/mcp/new`, type: "http" },
    sse: { url: `${kit.served.url}/sse/old`, type: "sse" },
    stdio: { command: program, args: [...before, "gateway", "-c", home.file("servers.json")] },
  };
  await Bun.write(config, JSON.stringify({ mcpServers, imports: [] }));
  const run = async (client: string[], ...words: string[]) => {
    const ran = await mcphost(...words)
      .program(client)
      .home(home.path)
      .cwd(home.path)
      .run();
    expectRun(ran, { stdout: /./, stderr: /^/ });
    return ran.stdout;
  };
  return {
    url: kit.served.url,
    config,
    home,
    run,
    async [Symbol.asyncDispose]() {
      await nothingLeft(home.path);
      await stack.disposeAsync();
    },
  };
}

describe.each(["http", "http-new", "sse", "stdio"])("over %s", (way) => {
  const eras = way.startsWith("http") ? ["legacy", "modern"] : ["legacy"];
  test.each(eras)(
    "the inspector's command line, as a %s client",
    async (era) => {
      await using gateway = await offered();
      const named = ["--cli", "--config", gateway.config, "--server", way, "--protocol-era", era];
      const ask = async (method: string, ...more: string[]) => {
        const words = [...named, "--method", method, ...more, "--format", "json", "--quiet"];
        return JSON.parse(await gateway.run(inspector, ...words)).result;
      };
      const [{ tools }, called, read, prompt] = await Promise.all([
        ask("tools/list"),
        ask("tools/call", "--tool-name", "structured", "--tool-arg", "city=Bonn"),
        ask("resources/read", "--uri", "note://one"),
        ask("prompts/get", "--prompt-name", "greet", "--prompt-args", "name=Ada"),
      ]);
      expect(tools).toContainEqual(expect.objectContaining({ name: "echo" }));
      expect(called.structuredContent).toEqual({ city: "Bonn", degrees: 21.5 });
      expect(read.contents).toMatchObject([{ text: "first" }]);
      expect(prompt.messages).toMatchObject([{ content: { text: "Greet Ada." } }]);
    },
    60_000,
  );

  // It has no prompts.
  test("mcporter", async () => {
    await using gateway = await offered();
    const ask = (...words: string[]) => gateway.run(mcporter, "--config", gateway.config, ...words);
    const [listed, called, resources, read] = await Promise.all([
      ask("list", way, "--json"),
      ask("call", `${way}.structured`, "city=Bonn", "--output", "json"),
      ask("resource", way, "--json"),
      ask("resource", way, "note://one"),
    ]);
    expect(JSON.parse(listed).tools).toContainEqual(expect.objectContaining({ name: "echo" }));
    expect(JSON.parse(called)).toEqual({ city: "Bonn", degrees: 21.5 });
    expect(resources).toContain("note://two");
    expect(read).toBe("first\n");
  }, 60_000);
});

test.each([
  ["/mcp", "http-only"],
  ["/sse", "sse-only"],
])(
  "an official client through mcp-remote at %s",
  async (path, transport) => {
    await using gateway = await offered();
    const [command = "", ...args] = [...mcpRemote, gateway.url + path, "--transport", transport];
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
    );
    client.setRequestHandler(ElicitRequestSchema, async () => accepted);
    client.setRequestHandler(CreateMessageRequestSchema, async () => sampled);
    client.setRequestHandler(ListRootsRequestSchema, async () => rooted);
    await client.connect(
      new StdioClientTransport({
        command,
        args,
        env: { PATH: process.env["PATH"] ?? "", HOME: gateway.home.path },
        stderr: "ignore",
      }) as never,
    );
    expect(client.getServerVersion()).toMatchObject({ name: "mcphost" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("new_echo");
    expect(await client.callTool({ name: "new_echo", arguments: { text: "hi" } })).toMatchObject({
      content: [{ text: "hi" }],
    });
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toContain("one");
    const { uri = "" } = resources.find(({ name }) => name === "one") ?? {};
    expect((await client.readResource({ uri })).contents).toMatchObject([{ text: "first" }]);
    const prompt = await client.getPrompt({ name: "old_greet", arguments: { name: "Ada" } });
    expect(prompt.messages).toMatchObject([{ content: { text: "Greet Ada." } }]);
    for (const server of ["old", "new"]) {
      const told = async (tool: string) => {
        const { content } = await client.callTool({ name: `${server}_${tool}` });
        return JSON.parse((content as { text: string }[])[0]!.text);
      };
      expect(await told("ask")).toEqual(accepted);
      expect(await told("sample")).toEqual(sampled);
      expect(await told("roots")).toEqual(rooted);
    }
    await client.close();
  },
  60_000,
);
