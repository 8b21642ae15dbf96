/** Streams that legacy clients lose and take up again (protocol.md 1.6, 2.4). */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { full, gatewayOver, session, textOf } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";

/** Reads a stream up to an event that fits, and the ids and data of all until then; then leaves it. */
async function readUntil(response: Response, isIt: (data: string) => boolean) {
  const events: { id: string | undefined; data: string }[] = [];
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return events;
    rest += decoder.decode(value, { stream: true });
    const parts = rest.split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const field = (name: string) =>
        part
          .split("\n")
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).trim())[0];
      const data = field("data");
      if (data === undefined) continue;
      events.push({ id: field("id"), data });
      if (isIt(data)) {
        await reader.cancel();
        return events;
      }
    }
  }
}

const progressed = (data: string) => data.includes("notifications/progress");
const call = { name: "slow", arguments: { steps: 4, ms: 100 }, _meta: { progressToken: "t" } };
const json = { jsonrpc: "2.0", id: 9, method: "tools/call", params: call };

test("a lost stream is taken up after the last event that arrived, and gives its answer once", async () => {
  await using kit = gatewayOver({ s: full() });
  const one = await session(kit);
  const first = await readUntil(await one.ask({ json }), progressed);
  expect(first[0]).toEqual({ id: expect.any(String), data: "" });
  const last = first.at(-1)?.id ?? "";
  const again = (id: string) =>
    one.ask({ headers: { accept: "text/event-stream", "last-event-id": id } });
  const second = await readUntil(await again(last), progressed);
  expect(second[0]?.id).not.toBe(last);
  const third = await readUntil(await again(second.at(-1)?.id ?? ""), () => false);
  const all = [...first, ...second, ...third].filter(({ data }) => data !== "");
  const messages = all.map(({ data }) => JSON.parse(data) as Told);
  const steps = messages.flatMap(({ method, params }) =>
    method === undefined ? [] : [params.progress],
  );
  expect(steps).toEqual([1, 2, 3, 4]);
  expect(textOf(messages.at(-1))).toBe("done after 4 steps");
  expect(messages).toHaveLength(5);
  expect(new Set(all.map(({ id }) => id)).size).toBe(5);
});

test("what is sent while nobody is there is kept, and another session has none of it", async () => {
  await using kit = gatewayOver({ s: full() });
  const [one, other] = await Promise.all([session(kit), session(kit)]);
  const [begin] = await readUntil(await one.ask({ json }), progressed);
  await waitFor(() =>
    kit.logged.some(({ text }) => text.startsWith("tools/call of slow is answered")),
  );
  const headers = { accept: "text/event-stream", "last-event-id": begin?.id ?? "" };
  const abort = new AbortController();
  const stranger = await other.ask({ headers, signal: abort.signal });
  const silence = readUntil(stranger, () => true);
  const missed = await readUntil(await one.ask({ headers }), () => false);
  expect(missed).toHaveLength(5);
  abort.abort();
  expect(await silence.catch(() => [])).toEqual([]);
});

test("an answer that was sent and did not arrive is sent again, and so for each of several", async () => {
  await using kit = gatewayOver({ s: full() });
  const one = await session(kit);
  const lost = await Promise.all(
    [1, 2, 3].map(
      async (id) => await readUntil(await one.ask({ json: { ...json, id } }), () => false),
    ),
  );
  for (const [at, events] of lost.entries()) {
    const headers = { accept: "text/event-stream", "last-event-id": events[2]?.id ?? "" };
    for (const _again of [1, 2])
      expect(await readUntil(await one.ask({ headers }), () => false)).toEqual(events.slice(3));
    expect(JSON.parse(events.at(-1)?.data ?? "")).toMatchObject({ id: at + 1, result: {} });
  }
});

describe("older revisions", () => {
  test.each(["2024-11-05", "2025-03-26", "2025-06-18"])(
    "%s: no event without data",
    async (revision) => {
      await using kit = gatewayOver({ s: full() });
      const one = await session(kit, { revision });
      const events = await readUntil(await one.ask({ json }), () => false);
      expect(events).toHaveLength(5);
      expect(events.filter(({ id, data }) => id !== undefined || data === "")).toEqual([]);
    },
  );
});
