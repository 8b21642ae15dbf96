/** An official client 1.x that answers everything, and keeps all that it is asked and told. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { JSONRPCMessage, MessageExtraInfo } from "@modelcontextprotocol/sdk/types.js";

export async function connected(link: Transport) {
  const capabilities = {
    sampling: {},
    elicitation: { form: {}, url: {} },
    roots: { listChanged: true },
  };
  const client = new Client({ name: "faithful", version: "1" }, { capabilities });
  const asked: { method: string; params?: unknown }[] = [];
  const keep = ({ method, params = {} }: { method: string; params?: object | undefined }) =>
    // What the server calls its request is between it and its client.
    void asked.push({ method, params: { ...params, _meta: undefined } });
  client.setRequestHandler(ElicitRequestSchema, async (request) => {
    keep(request);
    if (request.params.mode === "url") return { action: "accept" as const };
    return { action: "accept" as const, content: { name: "Ada", check: true, integer: 7 } };
  });
  client.setRequestHandler(CreateMessageRequestSchema, async (request) => {
    keep(request);
    const content = { type: "text" as const, text: "hello" };
    return { role: "assistant" as const, model: "none", stopReason: "endTurn", content };
  });
  client.setRequestHandler(ListRootsRequestSchema, async (request) => {
    keep(request);
    return { roots: [{ uri: "file:///one", name: "one" }, { uri: "file:///two" }] };
  });
  const messages: JSONRPCMessage[] = [];
  await client.connect(link);
  // As they come: of what arrives beside an answer, this client forgets some.
  const { onmessage } = link;
  Object.assign(link, {
    onmessage(message: JSONRPCMessage, extra: MessageExtraInfo) {
      messages.push(message);
      onmessage?.(message, extra);
    },
  });
  const heard = (method: string) =>
    messages.flatMap((message) =>
      "method" in message && message.method === method ? [message.params ?? {}] : [],
    ) as Record<string, unknown>[];
  return { client, heard, asked };
}

/** Some of its texts tell the time, and some of its names are new each time. */
export function withoutChance(observed: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(observed)
    .replace(/\d+:\d\d:\d\d [AP]M/g, "NOW")
    .replace(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, "UUID");
  return JSON.parse(text) as Record<string, unknown>;
}
