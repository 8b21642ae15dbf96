/** The official client 2.x, in the modern era, answers the reference server, which is of the older one. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { gatewayOver } from "./gateway-kit.ts";

const everything = {
  args: [
    join(
      import.meta.dir,
      "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
    ),
  ],
  prefix: "",
};

test("sampling, elicitation and roots of server-everything, which shows its tools by what a client can", async () => {
  await using kit = gatewayOver({ everything });
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  const client = new Client(
    { name: "newest", version: "1" },
    { capabilities, versionNegotiation: { mode: "auto" } },
  );
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.mode ?? "form");
    return { action: "accept", ...(params.mode !== "url" && { content: { name: "Ada" } }) };
  });
  client.setRequestHandler("sampling/createMessage", async () => {
    asked.push("sampling");
    return { role: "assistant", model: "none", content: { type: "text", text: "hello" } };
  });
  client.setRequestHandler("roots/list", async () => {
    asked.push("roots");
    return { roots: [{ uri: "file:///work", name: "work" }] };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${kit.served.url}/mcp`)));
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("trigger-sampling-request");
  const { tools } = await kit.host.tools();
  expect(tools.map(({ name }) => name)).not.toContain("trigger-sampling-request");
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    JSON.stringify((await client.callTool({ name, arguments: args })).content);
  expect(await call("trigger-sampling-request", { prompt: "hi" })).toContain("hello");
  expect(await call("trigger-elicitation-request")).toContain("Ada");
  expect(await call("get-roots-list")).toContain("file:///work");
  const url = { url: "https://example.org/sign-in" };
  expect(await call("trigger-url-elicitation", url)).toContain("accept");
  // It asks for the roots of its own accord, too, a while after it began.
  expect([...new Set(asked)].toSorted()).toEqual(["form", "roots", "sampling", "url"]);
  await client.close();
});
