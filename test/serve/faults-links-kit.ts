/** Links of the gateway that stay open, and what is said on them. */
import type { Told } from "./gateway-kit.ts";
import type { ServedHost } from "./kit.ts";

/** A request as its text. */
export const request = (id: unknown, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

/** A call of a tool as its text. */
export const call = (id: unknown, name: string, given: object = {}) =>
  request(id, "tools/call", { name, arguments: given });

/** Opens a link over HTTP+SSE; `done` settles at its end. */
export async function openSse(kit: ServedHost) {
  const response = await kit.ask("/sse");
  const address = Promise.withResolvers<string>();
  const all: Told[] = [];
  const take = (event: string) => {
    const [, name, data = ""] = /^event: (.*)\ndata: ([^]*)$/.exec(event) ?? [];
    if (name === "endpoint") address.resolve(data);
    else if (name === "message") all.push(JSON.parse(data) as Told);
  };
  const done = read(response.body!, "\n\n", take);
  const path = await address.promise;
  const headers = { "content-type": "application/json" };
  const post = (body: string) => kit.ask(path, { method: "POST", body, headers });
  return { all, post, done };
}

/** Hands on each piece of a text that ends in a separator, until the stream ends. */
export async function read(
  stream: AsyncIterable<Uint8Array>,
  separator: string,
  take: (piece: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    parts.push(text);
    // A large message is put together once.
    if (!text.includes("\n")) continue;
    const pieces = parts.join("").split(separator);
    parts = [pieces.pop() ?? ""];
    for (const piece of pieces) take(piece);
  }
}
