/** What clients are told when the process stops while they wait. */
import { expect, test } from "bun:test";

import { tools } from "../host/kit.ts";
import { waitFor } from "../processes.ts";
import { collect } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";

test("an HTTP+SSE client is told how its call ended", async () => {
  await using it = serveOver({ s: { tools: tools("silent") } }, { graceMs: 100 });
  const response = await it.ask("/sse");
  let path = "";
  const all = collect(
    new Response(
      response.body!.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            const text = new TextDecoder().decode(chunk);
            path ||= /\/messages\S+/.exec(text)?.[0] ?? "";
            controller.enqueue(new TextEncoder().encode(text.replace(/data: \/messages.*\n/, "")));
          },
        }),
      ),
      { headers: { "content-type": "text/event-stream" } },
    ),
  );
  await waitFor(() => path !== "");
  const post = (message: object) => it.ask(path, { json: { jsonrpc: "2.0", ...message } });
  const params = { protocolVersion: "2024-11-05", capabilities: {} };
  await post({ id: 0, method: "initialize", params });
  await waitFor(() => all.length > 0);
  await post({ id: 1, method: "tools/call", params: { name: "silent" } });
  await waitFor(async () => (await (await it.ask("/calls")).text()).includes("running"));
  await it.served.stop();
  await waitFor(() => all.some(({ id }) => id === 1));
  expect(all.find(({ id }) => id === 1)?.error?.code).toBe(-32603);
});
