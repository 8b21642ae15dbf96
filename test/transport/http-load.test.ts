/** Streamable HTTP under load: a thousand calls in flight, each with its own answer, and nothing that stays open. */
import { expect, test } from "bun:test";

import {
  answer,
  event,
  eventStream,
  modern,
  open,
  serve,
  stream,
  until,
} from "../fixtures/http/kit.ts";

const count = 1000;

test("a thousand calls in flight get their own answers, as JSON and as streams in turn", async () => {
  await using server = serve((seen) => {
    if (Number(seen.id) % 2 === 0) return answer(seen, { n: seen.params?.n });
    const reply = { jsonrpc: "2.0", id: seen.id, result: { n: seen.params?.n } };
    return new Response(event(reply), { headers: eventStream });
  });
  await using link = open(server.url);
  const all = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const { response } = await link.peer.request("call", modern({ n }), { timeoutMs: 20_000 });
      return response.result;
    }),
  );
  expect(all).toEqual(Array.from({ length: count }, (_, n) => ({ n })));
  // No more than that is asked; how fast it is beside a bare loop is a row of the bench.
  expect(server.seen).toHaveLength(count);
});

test("whatever became of a request, nothing of it stays open", async () => {
  await using server = serve((seen) => {
    if (seen.method === "silent") return new Promise(() => {});
    if (seen.method === "quiet") return stream().response;
    if (seen.method === "refused") return endless("no", 500);
    if (seen.method === "large") return endless("[".repeat(20_000), 200);
    if (seen.method === "open")
      return stream(event({ jsonrpc: "2.0", id: seen.id, result: {} })).response;
    return undefined;
  });
  await using link = open(server.url, {
    responseBytesMax: 10_000,
    times: { lingerMs: 20, refusalMs: 20 },
  });
  const failed: string[] = [];
  for (const method of ["silent", "quiet", "refused", "large", "open", "plain"])
    for (const settled of await Promise.allSettled(
      Array.from({ length: 50 }, () => link.peer.request(method, modern(), { timeoutMs: 200 })),
    ))
      if (settled.status === "rejected" && !failed.includes(method)) failed.push(method);
  expect(failed).toEqual(["silent", "quiet", "refused", "large"]);
  await until(() => server.pending() === 0);
});

function endless(text: string, status: number): Response {
  return new Response(stream(text).response.body, { status });
}
