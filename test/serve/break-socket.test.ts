/** WebSocket clients that are slow to read large answers, or speak something else. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { type ServedHost, serveOver } from "./kit.ts";
import { answering } from "./rest-kit.ts";

const size = 10_000_000;
const large = answering(
  `'"result":{"content":[{"type":"text","text":"' + "x".repeat(${size}) + '"}]}'`,
);

test("one that reads late is sent all of them", async () => {
  await using it = serveOver({ s: large });
  const client = await asking(it, 4);
  await waitFor(async () => (await done(it)) === 4);
  client.socket.resume();
  await waitFor(() => client.got > 4 * size);
  client.socket.terminate();
}, 20_000);

test("one that never reads is let go before it costs too much", async () => {
  await using it = serveOver({ s: large });
  const client = await asking(it, 30);
  await waitFor(() => it.served.context.streams.size === 0);
  client.socket.terminate();
}, 20_000);

test("one that sends what is no JSON, and goes on, is told so and let go; one that does so now and then is not", async () => {
  await using it = serveOver({ s: large });
  const answers: string[] = [];
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  const socket = new WebSocket(`ws://127.0.0.1:${it.served.port}/ws`);
  socket.addEventListener("message", ({ data }) => void answers.push(String(data)));
  socket.addEventListener("close", ({ code, reason }) => closed.resolve({ code, reason }));
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  for (let n = 0; n < 300; n += 1) socket.send(n % 50 === 0 ? ping : "x");
  await waitFor(() => answers.length === 300);
  for (let n = 0; n < 300; n += 1) socket.send("x");
  expect(await closed.promise).toEqual({ code: 1008, reason: "this is no JSON-RPC" });
  expect(answers.at(-1)).toContain("-32700");
  expect(answers.length).toBeLessThan(420);
});

test.concurrent(
  "one on which nothing is said hears from us, as a proxy in between wants it",
  async () => {
    await using it = serveOver({ s: large });
    const socket = new WebSocket(`ws://127.0.0.1:${it.served.port}/ws`);
    const pinged = Promise.withResolvers<void>();
    // Bun's own WebSocket tells of pings.
    socket.addEventListener("ping" as "message", () => pinged.resolve());
    const late = setTimeout(() => pinged.reject(new Error("no ping within 20 s")), 20_000);
    await pinged.promise.finally(() => clearTimeout(late));
    socket.terminate();
  },
  30_000,
);

// --- internal ---

async function done(it: ServedHost): Promise<number> {
  const all = (await (await it.ask("/calls")).json()) as { status: string }[];
  return all.filter(({ status }) => status === "completed").length;
}

/** A client that calls so many times, and reads nothing yet. */
async function asking(it: ServedHost, calls: number) {
  const { port } = it.served;
  const client = { got: 0 };
  const opened = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: port!,
    socket: {
      data(from, { length }) {
        if (client.got === 0) from.pause();
        client.got += length;
        opened.resolve();
      },
    },
  });
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  await opened.promise;
  const params = { protocolVersion: "2025-11-25", capabilities: {} };
  socket.write(frame({ id: 0, method: "initialize", params }));
  for (let id = 1; id <= calls; id += 1)
    socket.write(frame({ id, method: "tools/call", params: { name: "s_t" } }));
  return Object.assign(client, { socket });
}

/** One text frame, as clients send it (RFC 6455, 5.2). */
function frame(message: object): Uint8Array {
  const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  expect(text.length).toBeLessThan(126);
  // A mask of zeros changes nothing.
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
}
