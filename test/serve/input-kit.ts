/** Modern clients that answer what servers ask, round for round. */
import { join } from "node:path";

import { modernInit, type Told, told } from "./gateway-kit.ts";
import type { AskOptions, Fixture, ServedHost } from "./kit.ts";

export const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** A legacy server whose tools ask in ways of their own. */
export const asking: Fixture = {
  command: process.execPath,
  args: [join(import.meta.dir, "../fixtures/servers/asking.ts")],
};

/** A legacy server that asks what it is told to ask. */
export const asker: Fixture = {
  command: process.execPath,
  args: [join(import.meta.dir, "../fixtures/gateway/asker.ts")],
};

/** A modern server that asks for what nobody declares. */
export const rude: Fixture = {
  command: process.execPath,
  args: [join(import.meta.dir, "../fixtures/servers/rude-modern.ts")],
};

export interface AskerOptions extends AskOptions {
  path?: string;
  /** What the client declares. @default everything */
  capabilities?: object;
  meta?: object;
}

/** One POST of a modern client, and all messages of its answer. */
export async function post(
  kit: ServedHost,
  method: string,
  params: object,
  { path = "/mcp", capabilities = everything, meta, ...more }: AskerOptions = {},
): Promise<Told[]> {
  const init = modernInit(method, params, {
    ...(more as object),
    meta: { "io.modelcontextprotocol/clientCapabilities": capabilities, ...meta },
  });
  return await told(await kit.ask(path, init));
}

/** The answer to one POST. */
export async function ask(
  kit: ServedHost,
  method: string,
  params: object,
  options?: AskerOptions,
): Promise<Told> {
  return (await post(kit, method, params, options)).at(-1)!;
}

export function call(kit: ServedHost, name: string, args: object = {}, options?: AskerOptions) {
  return ask(kit, "tools/call", { name, arguments: args }, options);
}

/** The params of the next round, each question answered by what `answer` makes of it; undefined leaves it out. */
export function next(
  params: object,
  { result }: Told,
  answer: (asked: { method: string; params: any }) => object | undefined,
): object {
  const answers = Object.entries(result.inputRequests ?? {}).flatMap(([key, asked]) => {
    const given = answer(asked as { method: string; params: any });
    return given === undefined ? [] : [[key, given]];
  });
  return {
    ...params,
    inputResponses: Object.fromEntries(answers),
    ...(result.requestState !== undefined && { requestState: result.requestState }),
  };
}

/** Goes through all rounds of a request. */
export async function through(
  kit: ServedHost,
  method: string,
  params: object,
  answer: (asked: { method: string; params: any }) => object,
  options?: AskerOptions,
): Promise<{ last: Told; rounds: Told[] }> {
  const rounds: Told[] = [];
  let last = await ask(kit, method, params, options);
  while (last.result?.resultType === "input_required") {
    rounds.push(last);
    last = await ask(kit, method, next(params, last, answer), options);
  }
  return { last, rounds };
}

/** The answer to a form that asks for a name. */
export const accept = { action: "accept", content: { name: "Ada" } };
