/** MCP over a WebSocket: neither side is filled faster than it takes, and nothing is lost. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { answer, frame, open, raw, request, text } from "./ws-kit.ts";

describe("backpressure", () => {
  test("it is not read faster than its messages are taken, and nothing is lost", async () => {
    await using server = raw();
    await using link = await open(server.url, { pingMs: 20 });
    const count = 2000;
    let written = 0;
    const body = "x".repeat(10_000);
    const flood = setInterval(() => {
      for (let burst = 0; burst < 50 && written < count; burst++)
        server.write(frame(text, answer(++written, body)));
    }, 1);
    await waitFor(() => written === count, "the flood");
    clearInterval(flood);
    const waiting = link.transport.incoming as unknown as { size: number };
    let before = -1;
    await waitFor(async () => {
      const isStill = waiting.size === before;
      before = waiting.size;
      await Bun.sleep(50);
      return isStill;
    }, "what is read ahead to stay the same");
    expect(waiting.size).toBeLessThan(count);
    let taken = 0;
    for await (const item of link.transport.incoming) {
      taken++;
      expect("message" in item && "id" in item.message && item.message.id).toBe(taken);
      if (taken === count) break;
    }
  });

  test("a message waits until the far side takes it", async () => {
    let far: Bun.Socket | undefined;
    await using server = raw("mcp", true, (socket) => {
      far = socket;
      socket.pause();
    });
    await using link = await open(server.url);
    let isOut = false;
    const large = "x".repeat(20 * 1024 * 1024);
    const sending = link.transport
      .send({ ...request(1), params: { large } })
      ?.then(() => (isOut = true));
    await Bun.sleep(100);
    expect(isOut).toBe(false);
    far!.resume();
    await sending;
  });
});
