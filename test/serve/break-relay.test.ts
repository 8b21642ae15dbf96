/** Questions of servers while other calls wait for their turn. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { waitFor } from "../processes.ts";
import { answerTo, collect, gatewayOver, session, textOf } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";

const program = join(import.meta.dir, "../fixtures/gateway/asker.ts");
const asking = {
  method: "elicitation/create",
  params: { message: "Who?", requestedSchema: { type: "object", properties: {} } },
};
const questions = (all: readonly Told[]) => all.filter(({ method }) => method === asking.method);

test("a call that its server does not have yet is asked nothing, and takes nothing back", async () => {
  await using kit = gatewayOver({ s: { args: [program], concurrency: 1 } });
  const client = await session(kit, { capabilities: { elicitation: {} } });
  await client.notify("notifications/initialized");
  const running = collect(await client.call("ask_twice", asking, 1));
  await waitFor(() => questions(running).length === 1);
  const queued = client.call("seen", {}, 2);
  queued.catch(() => {});
  // What came later was answered: the call has been taken.
  await client.request("ping", {}, 3);
  await client.answer(questions(running)[0]?.id, { result: { action: "decline" } });
  await waitFor(() => questions(running).length === 2);
  await client.notify("notifications/cancelled", { requestId: 2 });
  expect((await queued).status).toBe(202);
  await client.answer(questions(running)[1]?.id, { result: { action: "decline" } });
  await waitFor(() => answerTo(running, 1) !== undefined);
  expect(textOf(answerTo(running, 1))).toContain("asked twice");
}, 10_000);
