/** Servers that tell who asks them, and clients that have some for themselves. */
import { join } from "node:path";

import { answerTo, session, textOf, type Told, told } from "./gateway-kit.ts";
import type { Fixture, ServedHost } from "./kit.ts";

const program = join(import.meta.dir, "../fixtures/gateway/asker.ts");

/** The server that asks. */
export const asker = (more: Fixture = {}): Fixture => ({ args: [program], ...more });

/** The capability of a client that answers about its roots. */
export const roots = { roots: { listChanged: true } };

/** A client of the gateway, with its session. */
export type Client = Awaited<ReturnType<typeof session>>;

/** What a server has seen of its client. */
export async function seen(
  client: Client,
  tool = "seen",
): Promise<{ pid: number; capabilities: object; seen: Told[] }> {
  return JSON.parse(textOf(answerTo(await told(await client.call(tool, {}, "seen")), "seen")));
}

/** The process that works for a client. */
export const pidOf = async (client: Client, tool?: string) => (await seen(client, tool)).pid;

/** Whether there is a process of this pid. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** How many servers are some client's own. */
export const guestsOf = ({ served }: ServedHost) => served.context.guests.size;
