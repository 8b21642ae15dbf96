/** Two clients at work on one server under the same ids: everything that comes says whose it is, and none of it is the other's. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import {
  answerTo,
  collect,
  gatewayOver,
  modernInit,
  session,
  textOf,
  told,
} from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";
import type { ServedHost } from "./kit.ts";
import { fixtureKit } from "./rest-kit.ts";

/** Says what it is told to by progress, a log line and the answer; `ms` later again. It gives up nothing. */
const teller = {
  args: [
    "-e",
    `
    import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
    const say = async ({ text: said, ms }, { params }, server) => {
      const progressToken = params._meta?.progressToken;
      for (const progress of [1, 2]) {
        if (progressToken !== undefined)
          server.notify("notifications/progress", { progressToken, progress, message: said });
        server.notify("notifications/message", { level: "error", data: said });
        if (progress === 1) await Bun.sleep(ms);
      }
      return text(said);
    };
    const properties = { text: { type: "string" }, ms: { type: "integer" } };
    await serve({ tools: [tool("say", { properties })], calls: { say } });`,
  ],
};

interface Client {
  say(text: string, id: number, ms?: number, signal?: AbortSignal): Promise<Response>;
}

async function legacy(kit: ServedHost): Promise<Client> {
  const client = await session(kit);
  return {
    say: (text, id, ms = 1, signal) =>
      client.ask({
        ...(signal && { signal }),
        json: {
          jsonrpc: "2.0",
          id,
          method: "tools/call",
          params: { name: "say", arguments: { text, ms }, _meta: { progressToken: id } },
        },
      }),
  };
}

async function modern(kit: ServedHost): Promise<Client> {
  return {
    say(text, id, ms = 1, signal) {
      const meta = { progressToken: id, "io.modelcontextprotocol/logLevel": "debug" };
      const params = { name: "say", arguments: { text, ms } } as { name: string };
      const init = modernInit("tools/call", params, { meta, ...(signal && { signal }) });
      return kit.ask("/mcp", { ...init, json: { ...(init.json as object), id } });
    },
  };
}

test.each<[string, ((kit: ServedHost) => Promise<Client>)[]]>([
  ["two legacy clients", [legacy, legacy]],
  ["two modern clients", [modern, modern]],
  ["one of each", [legacy, modern]],
])(
  "B023 %s, 1,000 calls: no answer, progress or log at the wrong one",
  async (_who, makers) => {
    await using kit = gatewayOver({ s: teller });
    const clients = await Promise.all(makers.map((make) => make(kit)));
    const wrong: Told[] = [];
    let right = 0;
    let progressed = 0;
    const run = async (client: Client, label: string, from: number) => {
      for (let id = from; id < from + 50; id++) {
        const said = `${label} at ${id}`;
        for (const one of await told(await client.say(said, id))) {
          const { progressToken, message, data } = one.params ?? {};
          if (one.id === id && textOf(one) === said) right++;
          else if (progressToken === id && message === said) progressed++;
          // Which of a client's calls a line is about, nobody knows.
          else if (!String(data).startsWith(`${label} `)) wrong.push(one);
        }
      }
    };
    await Promise.all(
      clients.flatMap((client, at) =>
        Array.from({ length: 10 }, (_, part) => run(client, `client ${at}`, part * 50)),
      ),
    );
    expect(wrong).toEqual([]);
    expect([right, progressed]).toEqual([1000, 2000]);
  },
  60_000,
);

test("what a server says of a call that its client has left is told to nobody else", async () => {
  await using kit = gatewayOver({ s: teller });
  const [one, other] = await Promise.all([modern(kit), legacy(kit)]);
  await told(await other.say("warm", 1));
  const leaving = new AbortController();
  const left = one.say("mine", 2, 500, leaving.signal).catch(() => {});
  await waitFor(() => kit.logged.filter(({ text }) => /call of say is sent/.test(text)).length > 1);
  leaving.abort();
  await left;
  const heard = collect(await other.say("yours", 3, 1500));
  await waitFor(() => answerTo(heard, 3) !== undefined);
  expect(JSON.stringify(heard)).not.toContain("mine");
});

test("a client that cancelled a call hears on of what is its own", async () => {
  await using kit = gatewayOver({ s: teller });
  const client = await session(kit);
  const isSent = () => kit.logged.some(({ text }) => text === "tools/call of say is sent");
  const params = { name: "say", arguments: { text: "cancelled", ms: 300 } };
  const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const cancelled = client.ask({ json });
  await waitFor(isSent);
  await client.notify("notifications/cancelled", { requestId: 1 });
  await cancelled;
  const all = await told(await client.call("say", { text: "mine", ms: 600 }, 2));
  const lines = all.flatMap(({ method, params: about }) =>
    method === "notifications/message" ? [about.data] : [],
  );
  expect(lines.toSorted()).toEqual(["cancelled", "mine", "mine"]);
});
