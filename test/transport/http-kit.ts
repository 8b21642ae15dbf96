/** What the tests of Streamable HTTP share: messages and streams as a scripted server sends them. */
import { createFetch } from "../../lib/transport/fetch.ts";
import { answer, eventStream, modern, open, serve, soon } from "../fixtures/http/kit.ts";

/** An answer. */
export const reply = (id: unknown = 1, result: object = { ok: true }) => ({
  jsonrpc: "2.0",
  id,
  result,
});

/** Progress of the request with this id. */
export const progress = (value: number, token: unknown = 1) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: token, progress: value },
});

/** A notification of the server that holds this data. */
export const note = (n: number) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: n },
});

/** As servers are reached outside of tests: it tells what went wrong. */
export const ownFetch = () => createFetch({ name: "srv", log: () => {} });

/** A whole stream of events. */
export const events = (text: string) => new Response(text, { headers: eventStream });

/** One modern request that is answered with this stream. */
export async function ask(text: string | Uint8Array, options: Parameters<typeof open>[1] = {}) {
  await using server = serve((seen) =>
    seen.method === "first" ? new Response(text, { headers: eventStream }) : answer(seen),
  );
  await using link = open(server.url, options);
  const outcome: { text?: string; error?: any } = await link.peer
    .request("first", modern(), soon)
    .then(
      (found) => ({ text: found.text }),
      (error: unknown) => ({ error }),
    );
  await link.peer.request("second", modern(), soon);
  return { ...outcome, link, gets: server.of("GET").length };
}

/** An error under this id, in an answer with this status. */
export const refused = (id: unknown, status: number, code: number) =>
  Response.json({ jsonrpc: "2.0", id, error: { code, message: "Unknown session id" } }, { status });
