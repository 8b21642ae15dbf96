/** Clients that ask and never read what they are answered: bounded, and let go. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import { answering } from "./rest-kit.ts";

test("an HTTP+SSE client that takes no answer is let go before they are too many", async () => {
  const large = answering(
    `'"result":{"content":[{"type":"text","text":"' + "x".repeat(10_000_000) + '"}]}'`,
  );
  await using it = serveOver({ s: large });
  const { port } = it.served;
  let path = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: port!,
    socket: {
      data(from, data) {
        path = /\/messages\S+/.exec(data.toString())?.[0] ?? path;
        if (path !== "") from.pause();
      },
    },
  });
  socket.write(`GET /sse HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await waitFor(() => path !== "");
  const post = async (message: object) =>
    (await it.ask(path, { json: { jsonrpc: "2.0", ...message } })).status;
  const params = { protocolVersion: "2024-11-05", capabilities: {} };
  expect(await post({ id: 0, method: "initialize", params })).toBe(202);
  for (let id = 1; id <= 12; id += 1)
    expect(await post({ id, method: "tools/call", params: { name: "s_t" } })).toBeOneOf([202, 404]);
  await waitFor(async () => (await post({ id: 99, method: "ping" })) === 404);
  expect(it.served.context.streams.size).toBe(0);
  socket.terminate();
}, 20_000);
