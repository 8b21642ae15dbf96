/** What servers ask legacy clients, message by message: on which stream and under which ids (protocol.md 2.4, 2.6). */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { answerTo, collect, gatewayOver, session, told } from "./gateway-kit.ts";
import { answering, asker, asking, form, question, said, seen } from "./gateway-relay-kit.ts";

describe("a question goes on the stream of the call, and the answer to its server", () => {
  test("with everything that stands in either", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit);
    const params = { ...form, unknown: [1, null], _meta: { "example.org/a": { b: 1 } } };
    const all = await asking(client, "ask", { method: "elicitation/create", params });
    await waitFor(() => question(all) !== undefined);
    const asked = question(all);
    expect(asked).toEqual({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params });
    const result = { action: "accept", content: {}, more: { a: 1 }, _meta: { c: null } };
    expect((await client.answer(asked?.id, { result })).status).toBe(202);
    await waitFor(() => answerTo(all) !== undefined);
    expect(said(answerTo(all))).toEqual({ result });
    expect(all).toHaveLength(2);
  });

  test("with its progress, under a token of its own hop", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit);
    const params = { ...form, _meta: { progressToken: "theirs", "example.org/a": 1 } };
    const all = await asking(client, "ask", { method: "elicitation/create", params });
    await waitFor(() => question(all) !== undefined);
    const { id, params: given } = question(all) ?? {};
    expect(given._meta).toEqual({ progressToken: id, "example.org/a": 1 });
    const progress = { progress: 1, total: 2, message: "half", more: true };
    await client.notify("notifications/progress", { ...progress, progressToken: 99 });
    await client.notify("notifications/progress", { ...progress, progressToken: id });
    await client.answer(id, { result: { action: "decline" } });
    await waitFor(() => answerTo(all) !== undefined);
    expect((await seen(client)).seen).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { ...progress, progressToken: "theirs" },
      },
    ]);
  });

  test("errors are passed as they are", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit);
    const method = "sampling/createMessage";
    const all = await asking(client, "ask", { method, params: { messages: [], maxTokens: 1 } });
    await waitFor(() => question(all) !== undefined);
    const error = { code: -1, message: "User rejected sampling request", data: { why: "no" } };
    await client.answer(question(all)?.id, { error });
    await waitFor(() => answerTo(all) !== undefined);
    expect(said(answerTo(all))).toEqual({ error });
  });

  test("what was not declared is refused without a word to the client", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit, { capabilities: { elicitation: {} } });
    for (const [method, params, code] of [
      ["sampling/createMessage", { messages: [], maxTokens: 1 }, -32601],
      ["roots/list", {}, -32601],
      ["elicitation/create", { ...form, mode: "url" }, -32602],
    ] as const) {
      const all = await told(await client.call("ask", { method, params }));
      expect(said(answerTo(all)).error).toMatchObject({ code });
      expect(all).toHaveLength(1);
    }
    expect((await seen(client)).capabilities).toEqual({ elicitation: { form: {} } });
  });

  test("O025 a client that declares nothing is asked nothing", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await session(kit);
    const all = await told(
      await client.call("ask", { method: "elicitation/create", params: form }),
    );
    expect(said(answerTo(all)).error).toMatchObject({ code: -32601 });
    expect((await seen(client)).capabilities).toEqual({});
  });

  test("of several calls at once each has its own", async () => {
    await using kit = gatewayOver({ s: asker(), t: asker() });
    const client = await answering(kit);
    const one = await asking(client, "s_ask", { method: "roots/list" }, "one");
    const other = await asking(client, "t_ask", { method: "roots/list" }, "other");
    await waitFor(() => question(one) !== undefined && question(other) !== undefined);
    await client.answer(question(other)?.id, { result: { roots: [{ uri: "file:///t" }] } });
    await client.answer(question(one)?.id, { result: { roots: [{ uri: "file:///s" }] } });
    await waitFor(
      () => answerTo(one, "one") !== undefined && answerTo(other, "other") !== undefined,
    );
    expect(said(answerTo(one, "one")).result.roots).toEqual([{ uri: "file:///s" }]);
    expect(said(answerTo(other, "other")).result.roots).toEqual([{ uri: "file:///t" }]);
  });

  test("only whose question it is answers it", async () => {
    await using kit = gatewayOver({ s: asker() });
    const [client, stranger] = [await answering(kit), await answering(kit)];
    const all = await asking(client, "ask", { method: "roots/list" });
    await waitFor(() => question(all) !== undefined);
    const id = question(all)?.id;
    const wrong = { result: { roots: [{ uri: "file:///wrong" }] } };
    expect((await stranger.answer(id, wrong)).status).toBe(202);
    expect((await client.answer(String(id), wrong)).status).toBe(202);
    expect((await client.answer(99, wrong)).status).toBe(202);
    await client.answer(id, { result: { roots: [] } });
    await waitFor(() => answerTo(all) !== undefined);
    expect(said(answerTo(all))).toEqual({ result: { roots: [] } });
  });
});

describe("a question that belongs to no call", () => {
  test("waits for the stream that belongs to none", async () => {
    await using kit = gatewayOver({ s: asker({ asksRoots: true }) });
    const client = await answering(kit);
    await told(await client.request("tools/list"));
    const all = collect(await client.ask({ headers: { accept: "text/event-stream" } }));
    await waitFor(() => question(all) !== undefined);
    expect(question(all)?.method).toBe("roots/list");
    await client.answer(question(all)?.id, { result: { roots: [{ uri: "file:///late" }] } });
    await waitFor(async () => (await seen(client)).seen.length > 0);
    expect((await seen(client)).seen.at(-1)).toMatchObject({
      result: { roots: [{ uri: "file:///late" }] },
    });
  });

  test("is not lost when the call is over", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit);
    const all = await told(await client.call("ask_later", { method: "roots/list" }));
    await client.answer(question(all)?.id, { result: { roots: [] } });
    await waitFor(async () => (await seen(client)).seen.length === 1);
  });
});

test("answers come in batches, too", async () => {
  await using kit = gatewayOver({ s: asker() });
  const client = await answering(kit, { revision: "2025-03-26" });
  const all = await asking(client, "ask", { method: "roots/list" });
  await waitFor(() => question(all) !== undefined);
  const batch = [
    { jsonrpc: "2.0", id: question(all)?.id, result: { roots: [] } },
    { jsonrpc: "2.0", id: "p", method: "ping" },
  ];
  expect(answerTo(await told(await client.ask({ json: batch })), "p")?.result).toEqual({});
  await waitFor(() => answerTo(all) !== undefined);
  expect(said(answerTo(all))).toEqual({ result: { roots: [] } });
});
