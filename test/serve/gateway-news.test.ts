/** What servers tell of a running call, as strict clients of the gateway take it: progress that grows, levels that there are. */
import { expect, test } from "bun:test";

import { entry } from "../cases/kit.ts";
import { gatewayOver, modernInit, session, told } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";

const params = (all: readonly Told[], method: string) =>
  all.filter((one) => one.method === `notifications/${method}`).map((one) => one.params);

test("progress that does not grow, and levels that nobody knows, are not handed on", async () => {
  await using kit = gatewayOver({ s: entry("talk.odd-news") });
  const legacy = await session(kit);
  const asked = { name: "fault", arguments: {} };
  const meta = { progressToken: 7, "io.modelcontextprotocol/logLevel": "debug" };
  await told(await legacy.request("logging/setLevel", { level: "debug" }));
  const ways = [
    () => legacy.call("fault", {}, 5, { progressToken: 7 }),
    () => kit.ask("/mcp", modernInit("tools/call", asked, { meta })),
  ];
  for (const way of ways) {
    const all = await told(await way());
    expect(params(all, "progress")).toEqual([
      { progressToken: 7, progress: 1, message: "a" },
      { progressToken: 7, progress: 2.5, total: 3 },
      { progressToken: 7, progress: 3 },
    ]);
    expect(params(all, "message")).toEqual([
      { level: "warning", data: "warn" },
      { level: "critical", logger: "l", data: "FATAL" },
      { level: "error", data: "Error" },
      { level: "debug", data: "trace" },
      { level: "notice", data: "notice" },
    ]);
    expect(all.at(-1)).toMatchObject({ result: { content: [{ text: "right" }] } });
  }
  const texts = kit.logged.filter(({ level }) => level === "debug").map(({ text }) => text);
  for (const level of ['"loud"', "5", "missing"])
    expect(texts).toContain(`a log of its is not handed on: its level is ${level}`);
});
