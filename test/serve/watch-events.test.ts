/** `/events`: what is told to whom, and listeners that are slow or read nothing. */
import { describe, expect, test } from "bun:test";

import { EventQueue } from "../../lib/serve/events.ts";
import type { StreamEvent } from "../../lib/serve/stream.ts";
import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import { gone, listen } from "./watch-kit.ts";

describe("/events", () => {
  test("tells of servers and of one's own calls, of nobody else's", async () => {
    const tokens = [
      { name: "one", token: "secret-1" },
      { name: "two", token: "secret-2" },
    ];
    await using it = serveOver({ a: {}, gone }, { tokens });
    const one = await listen(it, "secret-1");
    await waitFor(() => it.served.context.streams.size === 1);
    await it.host.call({ tool: "a_echo", arguments: {}, owner: "two" });
    await it.host.call({ tool: "a_echo", arguments: {}, owner: "one" });
    await waitFor(() => one.events.some(({ event }) => event === "call_end"));
    const calls = one.events.filter(({ event }) => event.startsWith("call"));
    expect(calls).toMatchObject([
      { event: "call_start", data: { server: "a", tool: "echo", owner: "one" } },
      { event: "call_end", data: { status: "completed", owner: "one", at: expect.any(Number) } },
    ]);
    await it.host.call({ tool: "gone_x", arguments: {}, owner: "two" });
    expect(one.text()).not.toContain("/nowhere");
    await one.end();
    await waitFor(() => it.served.context.streams.size === 0);
  });

  test("answers at once, also where nothing happens", async () => {
    await using it = serveOver();
    const began = performance.now();
    const answer = await it.ask("/events");
    expect(performance.now() - began).toBeLessThan(5000);
    await answer.body!.cancel();
  });

  test("ends when the process stops, and counts its listeners", async () => {
    await using it = serveOver({ a: {} }, { streamsMax: 1 });
    const one = await listen(it);
    expect((await it.ask("/events")).status).toBe(503);
    await it.served.stop();
    await one.ended;
    expect(it.served.context.streams.size).toBe(0);
  });

  test("a slow listener loses the oldest, and is told how many", async () => {
    const sent: StreamEvent[] = [];
    const drained = Promise.withResolvers<void>();
    let waiting = 100;
    const stream = {
      send: (event: StreamEvent) => void sent.push(event),
      get waiting() {
        return waiting;
      },
      drained: () => drained.promise,
      closed: false,
    };
    const queue = new EventQueue(stream, { listenersMax: 1, queueMax: 3, sendMax: 10 });
    for (let at = 0; at < 10; at++) queue.push({ event: "e", data: String(at) });
    expect(sent).toEqual([]);
    waiting = 0;
    drained.resolve();
    await waitFor(() => sent.length === 4);
    expect(sent).toEqual([
      { event: "lost", data: '{"events":7}' },
      { event: "e", data: "7" },
      { event: "e", data: "8" },
      { event: "e", data: "9" },
    ]);
  });

  test("one that reads nothing holds up no call and keeps nothing for ever", async () => {
    await using it = serveOver({ a: { queueMax: 500 } });
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: it.served.port!,
      socket: { data: (paused) => void paused.pause() },
    });
    socket.write(`GET /events HTTP/1.1\r\nHost: localhost:${it.served.port}\r\n\r\n`);
    await waitFor(() => it.served.context.streams.size === 1);
    const calls = Array.from({ length: 500 }, () =>
      it.host.call({ tool: "a_echo", arguments: {} }),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.every(({ status }) => status === "completed")).toBe(true);
    socket.terminate();
    await waitFor(() => it.served.context.streams.size === 0);
  });
});
