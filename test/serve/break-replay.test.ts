/** Streams that clients lose on purpose: what is kept of them is bounded, for all sessions together. */
import { expect, test } from "bun:test";

import { ReplayRoom, Replays } from "../../lib/serve/gateway-replay.ts";
import type { EventStream } from "../../lib/serve/stream.ts";

const large = "x".repeat(1000);

/** A stream that nobody is on, with its answer. */
function lost(replays: Replays): string {
  const stream = replays.begin();
  stream.send(large);
  stream.end();
  return stream.id;
}

test("lost streams of all sessions share one room: the oldest go first", () => {
  const room = new ReplayRoom(3500);
  const [a, b] = [new Replays(room), new Replays(room)];
  const first = lost(a);
  const second = lost(b);
  const third = lost(a);
  expect(a.find(`${first}-0`)).toBeDefined();
  const fourth = lost(b);
  expect(a.find(`${first}-0`)).toBeUndefined();
  for (const [replays, id] of [
    [b, second],
    [a, third],
    [b, fourth],
  ] as const)
    expect(replays.find(`${id}-0`)).toBeDefined();
});

test("a session that ends gives its room back", () => {
  const room = new ReplayRoom(2500);
  const [a, b] = [new Replays(room), new Replays(room)];
  const kept = lost(a);
  lost(b);
  b.end();
  lost(a);
  expect(a.find(`${kept}-0`)).toBeDefined();
});

test("what was sent makes room first, and a session keeps the last of it", () => {
  const connection: EventStream = {
    response: new Response(),
    waiting: 0,
    closed: false,
    send() {},
    comment() {},
    drained: async () => {},
    end() {},
  };
  const sent = (replays: Replays) => {
    const stream = replays.begin();
    stream.attach(connection);
    stream.send(large);
    stream.end();
    return stream.id;
  };
  const room = new ReplayRoom(24_000);
  const replays = new Replays(room);
  const waiting = lost(replays);
  const [first, second, third] = [sent(replays), sent(replays), sent(replays)];
  expect([first, second, third].map((id) => replays.find(`${id}-0`) !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
  const many = new Replays(new ReplayRoom());
  const all = Array.from({ length: 17 }, () => sent(many));
  expect(all.filter((id) => many.find(`${id}-0`) === undefined)).toEqual(all.slice(0, 1));
  expect(replays.find(`${waiting}-0`)).toBeDefined();
});

test("what is larger than all the room is kept until something else is", () => {
  const room = new ReplayRoom(10);
  const replays = new Replays(room);
  const one = lost(replays);
  expect(replays.find(`${one}-0`)).toBeDefined();
  const two = lost(replays);
  expect(replays.find(`${one}-0`)).toBeUndefined();
  expect(replays.find(`${two}-0`)).toBeDefined();
});

test("what a stream sends that was let go of takes no room", () => {
  const room = new ReplayRoom(2500);
  const [a, b] = [new Replays(room), new Replays(room)];
  const stream = a.begin();
  stream.send(large);
  a.end();
  stream.send(large);
  stream.end();
  const kept = [lost(b), lost(b)];
  for (const id of kept) expect(b.find(`${id}-0`)).toBeDefined();
});
