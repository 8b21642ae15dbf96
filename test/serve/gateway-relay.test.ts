/** What servers ask legacy clients, message by message: on which stream, under which ids, and what becomes of it (protocol.md 2.4, 2.6). */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { waitFor } from "../processes.ts";
import { answerTo, collect, full, gatewayOver, session, textOf, told } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";
import type { Fixture, ServedHost } from "./kit.ts";

const program = join(import.meta.dir, "../fixtures/gateway/asker.ts");

/** A server that asks what it is told to ask. */
const asker = (options: object = {}, more: Fixture = {}): Fixture => ({
  args: [program, JSON.stringify(options)],
  ...more,
});

const everything = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
};
const form = { message: "Who?", requestedSchema: { type: "object", properties: {} } };

type Client = Awaited<ReturnType<typeof session>>;

const answering = async (kit: ServedHost, more: Parameters<typeof session>[1] = {}) => {
  const client = await session(kit, { capabilities: everything, ...more });
  await client.notify("notifications/initialized");
  return client;
};

/** What a server answered, of the text that it put it into. */
const said = (one: Told | undefined): any => JSON.parse(textOf(one));

const seen = async (client: Client): Promise<{ pid: number; capabilities: object; seen: Told[] }> =>
  said(answerTo(await told(await client.call("seen", {}, "seen")), "seen"));

/** A call that asks, and what has come on its stream. */
const asking = async (client: Client, tool: string, args: object, id: string | number = 1) =>
  collect(await client.call(tool, args, id));

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const question = (all: readonly Told[]) =>
  all.find(({ method, id }) => method !== undefined && id !== undefined);

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

describe("URLs to be visited", () => {
  const visit = {
    mode: "url",
    message: "Sign in",
    url: "https://example.com/",
    elicitationId: "e1",
  };

  test("that they were is told to the client alone", async () => {
    await using kit = gatewayOver({ s: asker() });
    const [client, other] = [await answering(kit), await answering(kit)];
    const elsewhere = collect(await other.ask({ headers: { accept: "text/event-stream" } }));
    const method = "notifications/elicitation/complete";
    const all = await told(await client.call("tell", { method, params: { elicitationId: "e1" } }));
    expect(all[0]).toEqual({ jsonrpc: "2.0", method, params: { elicitationId: "e1" } });
    await told(await other.call("seen"));
    expect(elsewhere).toEqual([]);
  });

  test("the error that asks for some is passed as it is", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit);
    const error = { code: -32042, message: "First sign in", data: { elicitations: [visit] } };
    const [one] = await told(await client.call("refuse", { error }));
    expect(one?.error).toEqual(error);
  });
});
