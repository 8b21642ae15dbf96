/** `/calls`: what runs and what ran, for its owner alone; and who may cancel what. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import { featureFull, jsonOf, seen } from "./rest-kit.ts";

const tokens = [
  { name: "ann", token: "a" },
  { name: "bob", token: "b" },
];

describe("GET /calls", () => {
  test("running and past ones, the newest first, with all that is known of them", async () => {
    await using kit = serveOver(featureFull(), { tokens });
    const ask = (tool: string, params = {}) =>
      kit.ask("/tools", { token: "a", json: { tool, params } });
    const { call } = await jsonOf(await ask("re_echo", { text: "hi" }));
    await ask("re_refuse");
    const leaving = new AbortController();
    const hanging = kit
      .ask("/tools/re_hang", { token: "a", json: { x: 1 }, signal: leaving.signal })
      .catch(() => {});
    const list = async () => await jsonOf(await kit.ask("/calls", { token: "a" }));
    await waitFor(async () => (await list())[0]?.tool === "hang");
    const common = { owner: "ann", actor: "gateway", server: "re" };
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const durationMs = expect.any(Number);
    const [hang, refuse, echo, ...more] = await list();
    expect(more).toEqual([]);
    expect(hang).toEqual({
      ...common,
      id,
      name: "re_hang",
      tool: "hang",
      status: "running",
      startedAt: at,
      arguments: { x: 1 },
    });
    expect(refuse).toEqual({
      ...common,
      id,
      name: "re_refuse",
      tool: "refuse",
      status: "failed",
      startedAt: at,
      durationMs,
      arguments: {},
      error: { code: "rpc_error", message: expect.stringContaining("refused as asked") },
    });
    expect(echo).toEqual({
      ...common,
      id: call,
      name: "re_echo",
      tool: "echo",
      status: "completed",
      startedAt: at,
      durationMs,
      arguments: { text: "hi" },
    });
    expect(await jsonOf(await kit.ask(`/calls/${call}`, { token: "a" }))).toEqual(echo);
    leaving.abort();
    await hanging;
    await waitFor(async () => (await list())[0]?.status === "cancelled");
  });

  test("another's call is not there: not in the list, not by its id, not to cancel", async () => {
    await using kit = serveOver({ s: {} }, { tokens });
    const { call } = await jsonOf(await kit.ask("/tools", { token: "a", json: { tool: "echo" } }));
    expect(await jsonOf(await kit.ask("/calls", { token: "b" }))).toEqual([]);
    const foreign = await seen(kit.ask(`/calls/${call}`, { token: "b" }));
    const never = await seen(kit.ask("/calls/__proto__", { token: "b" }));
    expect(foreign).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    expect(never).toEqual(foreign);
    const cancel = kit.ask(`/calls/${call}`, { token: "b", method: "DELETE" });
    expect(await seen(cancel)).toEqual(foreign);
  });

  test("arguments are shown only to who carries a token or the start key", async () => {
    await using kit = serveOver({ s: {} }, { startKey: "key" });
    const params = { password: "hunter2" };
    const { call } = await jsonOf(await kit.ask("/tools", { json: { tool: "echo", params } }));
    for (const path of ["/calls", `/calls/${call}`]) {
      expect(await (await kit.ask(path)).text()).not.toContain("hunter2");
      expect(await (await kit.ask(path, { token: "key" })).text()).toContain("hunter2");
    }
  });

  test("a denied call is there with its reason, one of an unknown tool is not", async () => {
    const policy = [{ tools: "echo", do: "deny" as const, reason: "not today" }];
    await using kit = serveOver({ s: {} }, { hostOptions: { policy } });
    await kit.ask("/tools", { json: { tool: "echo" } });
    await kit.ask("/tools", { json: { tool: "nope" } });
    expect(await jsonOf(await kit.ask("/calls"))).toMatchObject([
      {
        status: "denied",
        server: "s",
        tool: "echo",
        error: { code: "denied", message: expect.stringContaining("not today") },
      },
    ]);
  });
});

describe("DELETE /calls/ID", () => {
  test("cancels a call that runs: its client is told, its server too", async () => {
    await using kit = serveOver(featureFull(), { startKey: "key" });
    // It runs before, so that both are sent at once.
    await kit.ask("/tools", { json: { tool: "re_cancelled" } });
    const hanging = seen(kit.ask("/tools", { json: { tool: "re_hang" } }));
    const own = seen(kit.ask("/tools/re_hang", { json: {} }));
    const list = async () => await jsonOf(await kit.ask("/calls"));
    const running = async () => (await list()).filter((call: any) => call.tool === "hang");
    await waitFor(async () => (await running()).length === 2);
    for (const { id } of await running()) {
      const answer = await kit.ask(`/calls/${id}`, { method: "DELETE", token: "key" });
      expect([answer.status, await answer.json()]).toEqual([202, { id, status: "cancelling" }]);
    }
    expect(await hanging).toMatchObject({ status: 200, body: { code: "cancelled", sent: true } });
    expect(await own).toMatchObject({ status: 503, body: { error: { code: "cancelled" } } });
    const [{ id }] = await list();
    const again = await seen(kit.ask(`/calls/${id}`, { method: "DELETE", token: "key" }));
    expect(again).toMatchObject({
      status: 409,
      body: {
        error: { call: id, status: "cancelled", hint: "GET /calls/ID has what became of it" },
      },
    });
    const count = async () =>
      (await jsonOf(await kit.ask("/tools", { json: { tool: "re_cancelled" } })))
        .plain_text_response;
    await waitFor(async () => (await count()) === "2");
  });

  test("needs a token or the start key, on loopback too", async () => {
    await using kit = serveOver({ s: {} }, { startKey: "key" });
    const { call } = await jsonOf(await kit.ask("/tools", { json: { tool: "echo" } }));
    expect((await kit.ask(`/calls/${call}`, { method: "DELETE" })).status).toBe(401);
    const wrong = await kit.ask(`/calls/${call}`, { method: "DELETE", token: "no" });
    expect(wrong.status).toBe(401);
    const never = await kit.ask("/calls/none", { method: "DELETE", token: "key" });
    expect(never.status).toBe(404);
  });
});
