/** Clients of one gateway are apart: what one does is not done to another, and no name tells what it may not call. */
import { describe, expect, test } from "bun:test";

import { eras } from "../client/served.ts";
import { waitFor } from "../processes.ts";
import { answerTo, full, gatewayOver, modernInit, session, textOf, told } from "./gateway-kit.ts";
import type { ServedHost } from "./kit.ts";

/** How many calls of `hang` a fixture server was told to give up. */
async function cancelled(kit: ServedHost): Promise<number> {
  const outcome = await kit.host.call({ tool: "cancelled" });
  return Number(outcome.status === "completed" && textOf({ result: outcome.result }));
}

/** How many calls of `hang` have left for the server. */
function sent(kit: ServedHost): number {
  return kit.logged.filter(({ text }) => text === "tools/call of hang is sent").length;
}

describe.each(eras)("in front of a %s server", (era) => {
  test("B023 two sessions with the same ids, 1,000 calls with progress: nothing reaches the other", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const clients = await Promise.all([session(kit), session(kit)]);
    const wrong: string[] = [];
    let right = 0;
    let progressed = 0;
    const run = async (client: number, from: number) => {
      for (let id = from; id < from + 50; id++) {
        const token = `${client}-${id}`;
        const all = await told(
          await clients[client]!.call("slow", { steps: 2, ms: 0 }, id, { progressToken: token }),
        );
        for (const one of all) {
          if (one.method === "notifications/progress" && one.params.progressToken === token)
            progressed++;
          else if (one.id === id && textOf(one) === "done after 2 steps") right++;
          else wrong.push(JSON.stringify(one));
        }
        const said = `I am ${client} at ${id}`;
        const echoed = await told(await clients[client]!.call("echo", { text: said }, id));
        if (textOf(answerTo(echoed, id)) === said) right++;
        else wrong.push(JSON.stringify(echoed));
      }
    };
    await Promise.all(
      [0, 1].flatMap((client) => [0, 50, 100, 150, 200].map((from) => run(client, from))),
    );
    expect(wrong).toEqual([]);
    expect(right).toBe(1000);
    expect(progressed).toBe(1000);
  }, 60_000);

  test("a modern client that leaves has cancelled, a legacy one has not", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const one = await session(kit);
    const leave = async (ask: (signal: AbortSignal) => Promise<Response>) => {
      const abort = new AbortController();
      const before = sent(kit);
      const asked = ask(abort.signal).catch(() => {});
      await waitFor(() => sent(kit) > before);
      abort.abort();
      await asked;
    };
    await leave((signal) =>
      kit.ask("/mcp", modernInit("tools/call", { name: "hang" }, { signal })),
    );
    await waitFor(async () => (await cancelled(kit)) === 1);
    await leave((signal) =>
      one.ask({
        signal,
        json: { jsonrpc: "2.0", id: "left", method: "tools/call", params: { name: "hang" } },
      }),
    );
    await Bun.sleep(100);
    expect(await cancelled(kit)).toBe(1);
    await one.notify("notifications/cancelled", { requestId: "left" });
    await waitFor(async () => (await cancelled(kit)) === 2);
  });

  test("only whose request it is cancels it, and it is not answered", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const [one, other] = await Promise.all([session(kit), session(kit)]);
    const hanging = one.call("hang", {}, 3);
    await waitFor(() => sent(kit) === 1);
    await other.notify("notifications/cancelled", { requestId: 3 });
    await one.notify("notifications/cancelled", { requestId: "3" });
    await Bun.sleep(100);
    expect(await cancelled(kit)).toBe(0);
    await one.notify("notifications/cancelled", { requestId: 3 });
    expect(answerTo(await told(await hanging), 3)).toBeUndefined();
    await waitFor(async () => (await cancelled(kit)) === 1);
  });
});

test("names of tools that a token may not call are no help to it, and no name is told at length", async () => {
  const tokens = [{ name: "b", token: "token-of-b", tools: ["a_*", "a.echo"] }];
  await using kit = gatewayOver({ a: {}, s: {} }, { tokens });
  await kit.served.context.discovery.done;
  const client = await session(kit, { token: "token-of-b" });
  const errorOf = async (name: string) => answerTo(await told(await client.call(name)))?.error;
  const near = await errorOf("s_ech");
  expect(near).toMatchObject({ code: -32602, data: { code: "usage" } });
  expect(JSON.stringify(near)).not.toContain("s_echo");
  // What its client can ask, not a route.
  expect(near?.data).toMatchObject({ hint: "tools/list has those that there are" });
  expect((await errorOf("a_ech"))?.data).toMatchObject({ nearest: ["a_echo"] });
  expect((await errorOf("echo"))?.data).toMatchObject({ candidates: ["a/echo"] });
  const names = ["x".repeat(100_000), `a/${"x".repeat(100_000)}`];
  for (const name of names) expect(JSON.stringify(await errorOf(name)).length).toBeLessThan(1000);
  const own = await session(kit, { token: "token-of-b", path: "/mcp/a" });
  const [answer] = await told(await own.call("x".repeat(100_000)));
  expect(answer?.error?.message).toStartWith("no tool is called");
  expect(JSON.stringify(answer).length).toBeLessThan(1000);
});
