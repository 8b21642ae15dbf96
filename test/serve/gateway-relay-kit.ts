/** Servers that ask, clients that are asked, and what is said between them. */
import { join } from "node:path";

import { answerTo, collect, session, textOf, type Told, told } from "./gateway-kit.ts";
import type { Fixture, ServedHost } from "./kit.ts";

const program = join(import.meta.dir, "../fixtures/gateway/asker.ts");

/** A server that asks what it is told to ask. */
export const asker = (options: object = {}, more: Fixture = {}): Fixture => ({
  args: [program, JSON.stringify(options)],
  ...more,
});

const everything = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
};

/** A form without fields. */
export const form = { message: "Who?", requestedSchema: { type: "object", properties: {} } };

type Client = Awaited<ReturnType<typeof session>>;

/** A client that answers everything. */
export const answering = async (kit: ServedHost, more: Parameters<typeof session>[1] = {}) => {
  const client = await session(kit, { capabilities: everything, ...more });
  await client.notify("notifications/initialized");
  return client;
};

/** What a server answered, of the text that it put it into. */
export const said = (one: Told | undefined): any => JSON.parse(textOf(one));

/** What a server has seen of its client. */
export const seen = async (
  client: Client,
): Promise<{ pid: number; capabilities: object; seen: Told[] }> =>
  said(answerTo(await told(await client.call("seen", {}, "seen")), "seen"));

/** A call that asks, and what has come on its stream. */
export const asking = async (client: Client, tool: string, args: object, id: string | number = 1) =>
  collect(await client.call(tool, args, id));

/** The first message that asks. */
export const question = (all: readonly Told[]) =>
  all.find(({ method, id }) => method !== undefined && id !== undefined);
