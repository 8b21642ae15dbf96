/** The official client 2.x who answers servers, over each transport that it has, in both eras, to servers of both. */
import { describe, expect, test } from "bun:test";

import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { sourceProgram, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { full, gatewayOver } from "./gateway-kit.ts";

type Era = "legacy" | "modern";

/** A gateway over one server with its own names, and a transport to it. */
async function linkTo(way: string, era: Era) {
  const { command = "", args = [] } = full(era);
  if (way === "stdio") {
    const home = await tempDir();
    const transport = new StdioClientTransport({
      command: sourceProgram[0]!,
      args: [...sourceProgram.slice(1), "gateway", "--no-user-config", "--", command, ...args],
      env: { PATH: process.env["PATH"] ?? "", HOME: home.path, XDG_CACHE_HOME: home.path },
      cwd: home.path,
      stderr: "ignore",
    });
    const end = async () => {
      await nothingLeft(home.path);
      await home[Symbol.asyncDispose]();
    };
    return { transport, [Symbol.asyncDispose]: end };
  }
  const kit = gatewayOver({ server: { ...full(era), prefix: "" } });
  const transport =
    way === "sse"
      ? new SSEClientTransport(new URL(`${kit.served.url}/sse`))
      : new StreamableHTTPClientTransport(new URL(`${kit.served.url}/mcp`));
  return { transport, [Symbol.asyncDispose]: () => kit[Symbol.asyncDispose]() };
}

describe.each([
  ["http", "modern"],
  ["http", "legacy"],
  ["sse", "legacy"],
  ["stdio", "modern"],
  ["stdio", "legacy"],
] as const)("over %s as a %s client", (way, era) => {
  test.each(["legacy", "modern"] as const)(
    "to a %s server: list, call, resource, prompt, elicitation, sampling, roots",
    async (serverEra) => {
      await using link = await linkTo(way, serverEra);
      const client = new Client(
        { name: "newest", version: "1" },
        {
          capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
          versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
        },
      );
      const asked: string[] = [];
      client.setRequestHandler("elicitation/create", async ({ method, params }) => {
        asked.push(`${method} ${params.message}`);
        return { action: "accept", ...(params.mode !== "url" && { content: { name: "Ada" } }) };
      });
      client.setRequestHandler("sampling/createMessage", async ({ method }) => {
        asked.push(method);
        return { role: "assistant", model: "none", content: { type: "text", text: "hello" } };
      });
      client.setRequestHandler("roots/list", async ({ method }) => {
        asked.push(method);
        return { roots: [{ uri: "file:///work", name: "work" }] };
      });
      await client.connect(link.transport);
      expect(client.getNegotiatedProtocolVersion()).toBe(
        era === "modern" ? "2026-07-28" : "2025-11-25",
      );
      const textOf = async (name: string, given = {}) => {
        const { content } = await client.callTool({ name, arguments: given });
        return (content as { text: string }[])[0]!.text;
      };
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("echo");
      expect(await textOf("echo", { text: "näh" })).toBe("näh");
      const { contents } = await client.readResource({ uri: "note://one" });
      expect(contents).toMatchObject([{ text: "first" }]);
      const prompt = await client.getPrompt({ name: "greet", arguments: { name: "Ada" } });
      expect(prompt.messages).toMatchObject([{ content: { text: "Greet Ada." } }]);
      const accepted = { action: "accept", content: { name: "Ada" } };
      expect(JSON.parse(await textOf("ask", { message: "Who?" }))).toEqual(accepted);
      expect(JSON.parse(await textOf("ask_twice"))).toEqual([accepted, accepted]);
      expect(JSON.parse(await textOf("ask_url"))).toEqual({ action: "accept" });
      expect(JSON.parse(await textOf("sample"))).toMatchObject({ content: { text: "hello" } });
      expect(JSON.parse(await textOf("roots"))).toEqual({
        roots: [{ uri: "file:///work", name: "work" }],
      });
      expect(asked).toEqual([
        "elicitation/create Who?",
        "elicitation/create First?",
        "elicitation/create Second?",
        "elicitation/create Sign in first.",
        "sampling/createMessage",
        "roots/list",
      ]);
      await client.close();
    },
    30_000,
  );
});
