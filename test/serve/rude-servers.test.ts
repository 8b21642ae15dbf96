/** What servers say of themselves when something is wrong with them: without secrets, and never so that a call hangs. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { answerTo, session, told } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";
import type { Fixture, KitOptions, ServedHost } from "./kit.ts";
import { answering, eventsOf, fixtureKit, seen } from "./rest-kit.ts";

const redact: KitOptions["redact"] = (text) => text.replaceAll("s3cr3t", "***");
const talkative = answering(
  `'"error":{"code":-32000,"message":"no: s3cr3t","data":{"key":"s3cr3t"}}'`,
);

test("the secrets of a server are in no error that a client gets", async () => {
  await using it = serveOver({ s: talkative }, { redact });
  const json = await seen(it.ask("/tools", { json: { tool: "s_t" } }));
  expect(json).toMatchObject({ status: 200, body: { error: "no: ***", rpcData: { key: "***" } } });
  const streamed = await eventsOf(await it.ask("/tools", { json: { tool: "s_t", stream: true } }));
  expect(streamed.at(-1)).toMatchObject({ done: true, error: "no: ***", rpcData: { key: "***" } });
  const client = await session(it);
  const { error } = answerTo(await told(await client.call("s_t"))) ?? {};
  expect(error).toEqual({ code: -32000, message: "no: ***", data: { key: "***" } });
});

const deep = `"[".repeat(50_000) + "]".repeat(50_000)`;

test.each([
  ["an error's data", `'"error":{"code":-32000,"message":"no","data":' + ${deep} + "}"`],
  ["a result", `'"result":{"structuredContent":{},"content":[{"type":"x","a":' + ${deep} + '}]}'`],
])(
  "%s that is nested too deeply ends its call, whoever called",
  async (_what, piece) => {
    await using it = serveOver({ s: answering(piece) });
    const json = await seen(it.ask("/tools", { json: { tool: "s_t" } }));
    expect(json).toMatchObject({ status: 200, body: { error: expect.any(String) } });
    const streamed = await eventsOf(
      await it.ask("/tools", { json: { tool: "s_t", stream: true } }),
    );
    expect(streamed.at(-1)).toMatchObject({ done: true, error: expect.any(String) });
    // A revision that knows no structured content: its results are written anew.
    const client = await session(it, { revision: "2024-11-05" });
    expect(answerTo(await told(await client.call("s_t")))?.error?.message).toBeString();
  },
  30_000,
);

/** What a server writes 20,000 times a second, as long as it is called `flood`. */
const floods = {
  "noise on stdout": `server.raw("this is no message\\n".repeat(200))`,
  stderr: `writeAll(2, "a line of a log\\n".repeat(200))`,
  "log notifications": `server.raw((JSON.stringify({ jsonrpc: "2.0", method: "notifications/message",
    params: { level: "info", logger: "l", data: "a line of a log" } }) + "\\n").repeat(200))`,
};

function flooding(write: string): Fixture {
  const script = `
    import { serve, text, tool, writeAll } from ${JSON.stringify(fixtureKit)};
    let timer;
    const flood = (_args, _message, server) => {
      timer ??= setInterval(() => { ${write}; }, 10);
      return text("flooding");
    };
    await serve({ tools: [tool("flood")], calls: { flood } });`;
  return { args: ["-e", script] };
}

test.each(Object.entries(floods))(
  "20,000 lines a second of %s: calls go on, to that server and to others",
  async (_what, write) => {
    await using it = serveOver({ rude: flooding(write), calm: {} });
    await it.served.context.discovery.done;
    const client = await session(it);
    // Nobody reads these.
    const unread = [await it.ask("/events"), await client.ask({ method: "GET" })];
    const call = async (tool: string) => {
      const began = performance.now();
      const params = { message: "x" };
      const { status, body } = await seen(it.ask("/tools", { json: { tool, params } }));
      expect([status, body.error]).toEqual([200, undefined]);
      return performance.now() - began;
    };
    await call("rude_flood");
    const before = process.memoryUsage.rss();
    const took: number[] = [];
    const until = performance.now() + 2000;
    while (performance.now() < until) {
      took.push(...(await Promise.all([call("rude_echo"), call("calm_echo")])));
      expect(answerTo(await told(await client.call("rude_echo", { message: "x" })))).toMatchObject({
        result: { content: [{ text: "x" }] },
      });
    }
    expect(took.length).toBeGreaterThan(20);
    expect(Math.max(...took)).toBeLessThan(3000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
    for (const { body } of unread) await body?.cancel();
  },
  30_000,
);

/** Dies as it is told to. */
const dying: Fixture = {
  args: [
    "-e",
    `import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
    const later = () => (setTimeout(() => process.exit(9), 1), text("soon"));
    const now = () => process.exit(8);
    await serve({ tools: [tool("later"), tool("now")], calls: { later, now } });`,
  ],
};

async function startsOf(it: ServedHost): Promise<number> {
  const text = await (await it.ask("/metrics")).text();
  return Number(/^mcphost_server_starts_total\{server="s"\} (\d+)$/m.exec(text)?.[1]);
}

test("B083 a server that crashes ten times in a call and ten times before one: each call has its own answer", async () => {
  await using it = serveOver({ s: dying });
  await it.served.context.discovery.done;
  const ask = (tool: string) =>
    seen(it.ask("/tools", { json: { tool, params: { message: "x" } } }));
  const echo = async () => expect((await ask("s_echo")).body.plain_text_response).toBe("x");
  for (let time = 0; time < 10; time++) {
    const { body } = await ask("s_now");
    expect(body).toMatchObject({ code: "uncertain", exitCode: 8, sent: true });
    expect(body.error).toStartWith('server "s" ended with exit code 8');
    await echo();
    expect((await ask("s_later")).body.plain_text_response).toBe("soon");
    await waitFor(async () => {
      const { body: server } = await seen(it.ask("/servers/s"));
      return server.state === "failed" && server.error.exitCode === 9;
    });
    await echo();
  }
  expect(await startsOf(it)).toBe(1 + 20 + 1);
});

test("B083 one that crashes at each start is started a handful of times, and says when it may be again", async () => {
  await using it = serveOver({
    s: { command: process.execPath, args: ["-e", "process.exit(3)"] },
    calm: {},
  });
  await it.served.context.discovery.done;
  const ask = (tool: string) => seen(it.ask("/tools", { json: { tool } }));
  const all = Array.from({ length: 10 }, () => ask("s_echo"));
  for (const { status, body } of await Promise.all(all))
    expect([status, body]).toMatchObject([200, { code: "server_start", server: "s" }]);
  expect(await startsOf(it)).toBeLessThan(6);
  expect((await ask("calm_echo")).body.error).toBeUndefined();
});
