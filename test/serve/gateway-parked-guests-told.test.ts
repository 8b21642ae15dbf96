/** What servers of a modern client's own tell: it is for that client alone. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { collect, full, gatewayOver, modernInit, textOf } from "./gateway-kit.ts";
import { ask, call, everything } from "./input-kit.ts";
import type { Fixture } from "./kit.ts";
import { fixtureKit } from "./rest-kit.ts";

test("changes of the client's own servers are told to it, and to nobody else", async () => {
  await using kit = gatewayOver({ s: full() });
  const filter = {
    notifications: { toolsListChanged: true, resourceSubscriptions: ["note://one"] },
  };
  const listening = async (capabilities: object) => {
    const meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
    const init = modernInit("subscriptions/listen", filter as object, { meta });
    const heard = collect(await kit.ask("/mcp", init));
    await waitFor(() => heard.length > 0);
    return heard;
  };
  const [own, plain] = [await listening(everything), await listening({})];
  await ask(kit, "tools/list", {});
  await call(kit, "touch", { uri: "note://one" });
  await call(kit, "change", { list: "tools" });
  await waitFor(() => own.length > 2);
  expect(
    own
      .slice(1)
      .map(({ method }) => method)
      .toSorted(),
  ).toEqual(["notifications/resources/updated", "notifications/tools/list_changed"]);
  expect(plain).toHaveLength(1);
});

test("lists are those of the client's own servers", async () => {
  await using kit = gatewayOver({ s: full() });
  await call(kit, "change", { list: "tools" });
  await call(kit, "change", { list: "prompts" });
  const names = async (method: string, key: string, capabilities: object) => {
    const { result } = await ask(kit, method, {}, { capabilities });
    return result[key].map(({ name }: { name: string }) => name);
  };
  expect(await names("tools/list", "tools", everything)).toContain("extra");
  expect(await names("tools/list", "tools", {})).not.toContain("extra");
  const own = await names("prompts/list", "prompts", everything);
  expect(own.length).toBe((await names("prompts/list", "prompts", {})).length + 1);
});

/** Its call of `late` goes on although it was cancelled, and asks when the next call comes. */
const stubborn: Fixture = {
  args: [
    "-e",
    `
import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
let isLate = false;
const requestedSchema = { type: "object", properties: {} };
await serve({
  tools: [tool("late"), tool("next")],
  on: {
    "notifications/cancelled": (_message, server) =>
      server.notify("notifications/message", { level: "warning", data: "late is cancelled" }),
  },
  calls: {
    late: (_args, { params }, server) => {
      isLate = true;
      const { progressToken } = params._meta;
      server.notify("notifications/progress", { progressToken, progress: 1 });
    },
    next: async (_args, _message, server) => {
      if (!isLate) return text("quiet");
      const answer = await server.ask(1, "elicitation/create", { message: "of late", requestedSchema });
      return text(JSON.stringify(answer.error ?? answer.result));
    },
  },
});`,
  ],
};

test("what a server asks about a call that was given up reaches no other client", async () => {
  await using kit = gatewayOver({ s: stubborn });
  const capabilities = { elicitation: {} };
  const meta = { "io.modelcontextprotocol/clientCapabilities": capabilities, progressToken: 1 };
  const abort = new AbortController();
  const asked = { name: "late", arguments: {} };
  const { signal } = abort;
  const late = await kit.ask("/mcp", modernInit("tools/call", asked, { meta, signal }));
  const heard = collect(late);
  await waitFor(() => heard.length > 0);
  abort.abort();
  await waitFor(() => kit.logged.some(({ text }) => text.includes("late is cancelled")));
  const texts = [];
  for (let tries = 0; tries < 5; tries++)
    texts.push(textOf(await call(kit, "next", {}, { capabilities })));
  expect(new Set(texts)).toEqual(new Set(["quiet"]));
});
