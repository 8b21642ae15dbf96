/** What becomes of questions to legacy clients: taken back, out of time, taken up again, and too many of them. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { answerTo, collect, full, gatewayOver, told } from "./gateway-kit.ts";
import { answering, asker, asking, form, question, said, seen } from "./gateway-relay-kit.ts";

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a question that is taken back", () => {
  test("by its server", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit);
    const args = { method: "elicitation/create", params: form };
    const all = await told(await client.call("ask_and_take_back", args));
    expect(all.map(({ method }) => method)).toEqual([
      "elicitation/create",
      "notifications/cancelled",
      undefined,
    ]);
    expect(all[1]?.params.requestId).toBe(question(all)?.id);
    // Too late is no fault.
    expect((await client.answer(question(all)?.id, { result: {} })).status).toBe(202);
    expect((await seen(client)).seen.filter(({ id }) => id !== undefined)).toEqual([]);
  });

  test("by the client, who gives up its call", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit);
    const aside = collect(await client.ask({ headers: { accept: "text/event-stream" } }));
    const all = await asking(client, "ask", { method: "elicitation/create", params: form }, 7);
    await waitFor(() => question(all) !== undefined);
    await client.notify("notifications/cancelled", { requestId: 7 });
    await waitFor(() => aside.length > 0);
    expect(aside[0]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: question(all)?.id },
    });
    expect(answerTo(all, 7)).toBeUndefined();
  });

  test("by the end of its server", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit);
    const { pid } = await seen(client);
    const all = await asking(client, "ask", { method: "elicitation/create", params: form });
    await waitFor(() => question(all) !== undefined);
    process.kill(pid, "SIGKILL");
    await waitFor(() => answerTo(all) !== undefined);
    expect(all.map(({ method }) => method)).toContain("notifications/cancelled");
    expect(answerTo(all)?.error).toBeDefined();
  });

  test("by time", async () => {
    await using kit = gatewayOver({ s: asker() }, { gateway: { answerMs: 150 } });
    const client = await answering(kit);
    const all = await told(await client.call("ask", { method: "roots/list" }));
    expect(all[1]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: question(all)?.id },
    });
    expect(said(answerTo(all)).error).toMatchObject({
      code: -32603,
      message: "roots/list was not answered within 150 ms",
    });
  });

  test("by the client, who leaves: its servers end", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit);
    const { pid } = await seen(client);
    const all = await asking(client, "ask", { method: "elicitation/create", params: form });
    await waitFor(() => question(all) !== undefined);
    expect((await client.ask({ method: "DELETE" })).status).toBe(204);
    await waitFor(() => !isAlive(pid));
  });
});

test.each(["legacy", "modern"] as const)(
  "the time of a call does not run while a client of a %s server thinks",
  async (era) => {
    await using kit = gatewayOver({ s: { ...full(era), timeoutMs: 400 } });
    const client = await answering(kit);
    const all = await asking(client, "ask", {});
    await waitFor(() => question(all) !== undefined);
    await Bun.sleep(900);
    await client.answer(question(all)?.id, { result: { action: "decline" } });
    await waitFor(() => answerTo(all) !== undefined);
    expect(said(answerTo(all))).toEqual({ action: "decline" });
  },
);

test("a stream that was lost with a question on it is taken up again, with the question", async () => {
  await using kit = gatewayOver({ s: asker() });
  const client = await answering(kit);
  const lost = await client.call("ask", { method: "roots/list" });
  const reader = lost.body!.getReader();
  const { value } = await reader.read();
  const id = /^id: (.*)$/m.exec(new TextDecoder().decode(value))?.[1] ?? "";
  await reader.cancel();
  const headers = { accept: "text/event-stream", "last-event-id": id.replace(/\d+$/, "0") };
  const all = collect(await client.ask({ headers }));
  await waitFor(() => question(all) !== undefined);
  await client.answer(question(all)?.id, { result: { roots: [] } });
  await waitFor(() => answerTo(all) !== undefined);
  expect(said(answerTo(all))).toEqual({ result: { roots: [] } });
});

test.each(["2025-06-18", "2025-11-25"])(
  "a client of %s that is asked when we stop is told that its call is over",
  async (revision) => {
    const kit = gatewayOver({ s: asker() }, { graceMs: 100 });
    const client = await answering(kit, { revision });
    const all = await asking(client, "ask", { method: "roots/list" });
    await waitFor(() => question(all) !== undefined);
    await kit[Symbol.asyncDispose]();
    await waitFor(() => answerTo(all) !== undefined);
    expect(answerTo(all)?.error).toMatchObject({ code: -32603, message: "mcphost is stopping" });
  },
);

test("questions at a time are bounded, of all servers together", async () => {
  await using kit = gatewayOver({ s: asker(), t: asker() });
  const client = await answering(kit);
  const args = { times: 80, method: "roots/list" };
  const asked = [
    await asking(client, "s_ask_often", args, "s"),
    await asking(client, "t_ask_often", args, "t"),
  ];
  const questions = () => asked.flat().filter(({ method }) => method === "roots/list");
  await waitFor(() => questions().length === 100);
  // What comes after all questions on a link says that they were all read.
  for (const tool of ["s_seen", "t_seen"]) await told(await client.call(tool, {}, tool));
  for (const { id } of questions()) await client.answer(id, { result: { roots: [] } });
  const answers = () => [answerTo(asked[0]!, "s"), answerTo(asked[1]!, "t")];
  await waitFor(() => answers().every((one) => one !== undefined));
  const refused = answers().map((one): number => said(one));
  expect(refused[0]! + refused[1]!).toBe(60);
});
