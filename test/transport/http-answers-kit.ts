/** What the tests of answers over Streamable HTTP share: bodies with their types, and one request that gets them. */
import { expect } from "bun:test";

import { open, serve, soon } from "../fixtures/http/kit.ts";
import type { Opened } from "../fixtures/http/kit.ts";

/** The header of JSON. */
export const json = { "content-type": "application/json" };

/** The header of a page. */
export const html = { "content-type": "text/html; charset=utf-8" };

/** An answer as it is written, with a number that a double would write in another way. */
export const result = (id: unknown) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"n":1.50}}`;

/** A JSON-RPC error. */
export const refusal = { code: -32602, message: "no such thing", data: { at: 1 } };

/** One request under id 1 that is answered with `response`, and a second one that must work. */
export async function ask(
  response: Response | (() => Promise<Response>),
  options: Parameters<typeof open>[1] = {},
): Promise<{ text?: string; error?: any; link: Opened; requests: number }> {
  await using server = serve((seen) => {
    if (seen.method !== "first") return undefined;
    return typeof response === "function" ? response() : response;
  });
  await using link = open(server.url, options);
  const outcome = await link.peer.request("first", {}, soon).then(
    ({ text }) => ({ text }),
    (error: unknown) => ({ error }),
  );
  expect((await link.peer.request("second", {}, soon)).response.result).toEqual({ from: "second" });
  return { ...outcome, link, requests: server.of("first").length };
}
