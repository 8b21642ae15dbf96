/** Clients that do not read while their call makes progress; and lists that come in pages. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import { fixtureKit, jsonOf } from "./rest-kit.ts";

const count = 2000;
const flooding = `import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
  const flood = (_args, message, server) => {
    const { progressToken } = message.params._meta;
    for (let progress = 1; progress <= ${count}; progress++)
      server.notify("notifications/progress", { progressToken, progress, message: "x".repeat(20_000) });
    return text("flooded");
  };
  await serve({ tools: [tool("flood")], calls: { flood } });`;

test("who does not read loses progress, and neither the answer nor our memory", async () => {
  await using kit = serveOver({ s: { prefix: "s_", args: ["-e", flooding] } });
  await kit.ask("/tools");
  const body = JSON.stringify({ tool: "s_flood", stream: true });
  let got = "";
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: kit.served.port!,
    socket: {
      data(_socket, data) {
        got += data.toString();
        if (got.includes('"done":true')) closed.resolve();
      },
      close: () => closed.resolve(),
    },
  });
  socket.pause();
  const host = `Host: 127.0.0.1:${kit.served.port}`;
  const type = "Content-Type: application/json";
  const head = `POST /tools HTTP/1.1\r\n${host}\r\n${type}\r\nContent-Length: ${body.length}`;
  socket.write(`${head}\r\n\r\n${body}`);
  const last = async () => (await jsonOf(await kit.ask("/calls")))[0];
  await waitFor(async () => (await last())?.status === "completed");
  socket.resume();
  await closed.promise;
  socket.end();
  expect(got).toContain('data: {"chunk":"flooded"}');
  const progress = got.match(/data: \{"progress"/g) ?? [];
  expect(progress.length).toBeWithin(1, count / 2);
});

test("a list of three pages is listed whole, and its last tool is called (B112)", async () => {
  const paged = `import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
    const tools = Array.from({ length: 101 }, (_, i) => tool("t" + i));
    const list = (message, server) => {
      const from = Number(atob(message.params?.cursor ?? "MA=="));
      const to = from + 50;
      const more = to < 101 ? { nextCursor: btoa(String(to)) } : {};
      server.reply(message, { tools: tools.slice(from, to), ...more });
    };
    await serve({ on: { "tools/list": list }, calls: { t100: () => text("the last") } });`;
  await using kit = serveOver({ s: { prefix: "s_", args: ["-e", paged] } });
  const list = await jsonOf(await kit.ask("/tools"));
  expect(list.map(({ name }: any) => name)).toEqual(Array.from({ length: 101 }, (_, i) => `t${i}`));
  const answer = await jsonOf(await kit.ask("/tools", { json: { tool: "s_t100" } }));
  expect(answer.plain_text_response).toBe("the last");
});
