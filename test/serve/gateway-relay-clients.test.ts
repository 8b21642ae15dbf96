/** Official clients 1.x who answer servers, over each transport: what servers of both eras ask reaches them, and their answers go back. */
import { describe, expect, test } from "bun:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

import { full } from "./gateway-kit.ts";
import { linksTo, ways } from "./gateway-links-kit.ts";

const eras = ["legacy", "modern"] as const;

/** A client who answers everything, by a name that is in its answers, and keeps what it was asked. */
async function answering(
  link: ReturnType<Awaited<ReturnType<typeof linksTo>>["link"]>,
  name: string,
) {
  const capabilities = {
    sampling: {},
    elicitation: { form: {}, url: {} },
    roots: { listChanged: true },
  };
  const client = new Client({ name, version: "1" }, { capabilities });
  const asked: unknown[] = [];
  const keep = ({ method, params }: { method: string; params?: unknown }) =>
    void asked.push({ method, params });
  client.setRequestHandler(ElicitRequestSchema, async (request) => {
    keep(request);
    return request.params.mode === "url"
      ? { action: "accept" as const }
      : { action: "accept" as const, content: { name } };
  });
  client.setRequestHandler(CreateMessageRequestSchema, async (request) => {
    keep(request);
    const content = { type: "text" as const, text: `hello from ${name}` };
    return { role: "assistant" as const, model: "none", content };
  });
  client.setRequestHandler(ListRootsRequestSchema, async (request) => {
    keep(request);
    return { roots: [{ uri: `file:///${name}`, name }] };
  });
  await client.connect(link);
  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    const { content } = await client.callTool({ name: tool, arguments: args });
    const [{ text } = { text: "" }] = content as { text: string }[];
    return JSON.parse(text) as unknown;
  };
  return { client, call, asked, [Symbol.asyncDispose]: () => client.close() };
}

describe.each(ways)("over %s", (way) => {
  test.each(eras)(
    "to a %s server: nothing that one of two answers reaches the other",
    async (era) => {
      await using links = await linksTo(way, full(era));
      const clients = [
        await answering(links.link(), "one"),
        await answering(links.link(), "other"),
      ] as const;
      const names = ["one", "other"];
      const answers = clients.map((client) =>
        Promise.all(Array.from({ length: 40 }, () => client.call("ask"))),
      );
      for (const [at, all] of (await Promise.all(answers)).entries())
        expect(all).toEqual(all.map(() => ({ action: "accept", content: { name: names[at] } })));
      await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
    },
  );

  test.each(eras)(
    "to a %s server: elicitation, sampling and roots of two clients apart",
    async (era) => {
      await using links = await linksTo(way, full(era));
      await using one = await answering(links.link(), "one");
      await using other = await answering(links.link(), "other");
      for (const [client, name] of [
        [one, "one"],
        [other, "other"],
      ] as const) {
        const accepted = { action: "accept", content: { name } };
        expect(await client.call("ask", { message: `Is it ${name}?` })).toEqual(accepted);
        expect(await client.call("ask_twice")).toEqual([accepted, accepted]);
        expect(await client.call("ask_url")).toEqual({ action: "accept" });
        expect(await client.call("sample", { prompt: "Say hello." })).toEqual({
          role: "assistant",
          model: "none",
          content: { type: "text", text: `hello from ${name}` },
        });
        expect(await client.call("roots")).toEqual({ roots: [{ uri: `file:///${name}`, name }] });
        expect(client.asked).toMatchObject([
          { method: "elicitation/create", params: { mode: "form", message: `Is it ${name}?` } },
          { method: "elicitation/create", params: { message: "First?" } },
          { method: "elicitation/create", params: { message: "Second?" } },
          {
            method: "elicitation/create",
            params: {
              mode: "url",
              url: "https://example.com/sign-in?state=1",
              elicitationId:
                era === "legacy" ? "sign-in-1" : expect.stringMatching(/^[\da-f-]{36}$/),
            },
          },
          { method: "sampling/createMessage", params: { maxTokens: 10 } },
          { method: "roots/list" },
        ]);
      }
    },
  );
});
