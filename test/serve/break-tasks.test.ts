/** Tasks of clients whose sessions somebody else could take the place of. */
import { expect, test } from "bun:test";

import { answerTo, both, full, gatewayOver, session, told } from "./gateway-kit.ts";

const capabilities = { elicitation: {} };

test("a client whose task runs makes no room for another", async () => {
  await using kit = gatewayOver({ s: full("legacy") }, { guestsMax: 1 });
  const first = await session(kit, { capabilities });
  await first.notify("notifications/initialized");
  const begun = await told(
    await first.request("tools/call", {
      name: "work",
      arguments: { steps: 1000, ms: 20 },
      task: {},
    }),
  );
  const { taskId } = answerTo(begun)!.result.task;
  const status = async () => {
    const [got] = await told(await first.request("tasks/get", { taskId }));
    return got?.result?.status;
  };
  expect(await status()).toBe("working");
  const second = await kit.ask("/mcp", {
    json: {
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities,
        clientInfo: { name: "k", version: "1" },
      },
    },
    headers: { accept: both },
  });
  expect(second.status).toBe(503);
  expect(await status()).toBe("working");
});
