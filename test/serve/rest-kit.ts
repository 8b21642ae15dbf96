import { expect } from "bun:test";
/** Fixture servers of the REST tests, and small ways to read answers. */
import { join } from "node:path";

import type { Fixture } from "./kit.ts";

const fixtures = join(import.meta.dir, "../fixtures");

/** Of what tiny servers are made. */
export const fixtureKit = join(fixtures, "servers/kit.ts");

/** The fixture server that has everything, called with a prefix of its own. */
export function featureFull(name = "re", more: Fixture = {}): Record<string, Fixture> {
  const args = [join(fixtures, "remote/stdio.ts")];
  return { [name]: { args, prefix: `${name}_`, ...more } };
}

/** A server with one of the named faults. */
export function faulty(fault: string, more: Fixture = {}): Fixture {
  return { args: [join(fixtures, "servers/faulty.ts"), fault], ...more };
}

/** A server: what it answers to a call of `t` is a piece of a message. */
export function answering(piece: string): Fixture {
  const script = `
    import { serve } from ${JSON.stringify(fixtureKit)};
    const piece = ${piece};
    await serve({
      tools: [{ name: "t", inputSchema: { type: "object" } }],
      on: { "tools/call": ({ id }, server) => server.raw(
        '{"jsonrpc":"2.0","id":' + JSON.stringify(id) + "," + piece + "}\\n"
      ) },
    });`;
  return { args: ["-e", script] };
}

export async function jsonOf(answer: Response): Promise<any> {
  return await answer.json();
}

/** Status and body of an answer in one value. */
export async function seen(answer: Promise<Response>): Promise<{ status: number; body: any }> {
  const { status } = await answer;
  return { status, body: await (await answer).json() };
}

/** The events of a whole stream. */
export async function eventsOf(answer: Response): Promise<any[]> {
  const text = await answer.text();
  return text
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => JSON.parse(event.slice("data: ".length)));
}

/** Matches the id of a call. */
export const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** A schema that takes any object. */
export const object = { type: "object" };

/** Tools of these names, which take anything. */
export const named = (...names: string[]) => names.map((name) => ({ name, inputSchema: object }));

/** The content of a result that is one text. */
export const text = (value: string) => [{ type: "text", text: value }];
