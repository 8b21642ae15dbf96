/** `POST /tools` that is refused: by the request, by the name, and by servers that cannot be used. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import { faulty, id, jsonOf, object, seen } from "./rest-kit.ts";

describe("POST /tools", () => {
  test.each([
    ["[]", 400],
    ["null", 400],
    ["5", 400],
    ["{bad", 400],
    ["", 400],
    ["{}", 400],
    ['{"tool":1}', 400],
    ['{"tool":null}', 400],
    ['{"tool":"s_echo","params":[]}', 400],
    ['{"tool":"s_echo","params":"{}"}', 400],
    ['{"tool":"s_echo","stream":"x"}', 400],
    ['{"tool":"s_echo","stream":null}', 400],
    ['{"tool":"nope"}', 404],
    ['{"tool":""}', 404],
    ['{"tool":"__proto__"}', 404],
    ['{"tool":"toString","stream":true}', 404],
    ['{"tool":"s_denied"}', 403],
    ['{"tool":"s_denied","stream":true}', 403],
    ['{"tool":"s_hidden"}', 403],
  ])("%s is refused with %d, in llama-server's shape and in ours", async (body, status) => {
    const tools = ["echo", "denied", "hidden"].map((name) => ({ name, inputSchema: object }));
    await using kit = serveOver(
      { s: { prefix: "s_", tools, deniedTools: ["hidden"] } },
      { hostOptions: { policy: [{ tools: "denied", do: "deny", reason: "not today" }] } },
    );
    const headers = { "content-type": "application/json" };
    const answer = await kit.ask("/tools", { method: "POST", body, headers });
    expect(answer.status).toBe(status);
    const types: Record<number, string> = {
      400: "invalid_request_error",
      403: "permission_error",
      404: "not_found_error",
    };
    const told = await jsonOf(answer);
    expect(told.message).toMatch(body.includes("denied") ? /not today/ : /.../);
    expect(told).toMatchObject({
      code: status,
      type: types[status],
      error: { code: expect.any(String), message: told.message, type: types[status] },
    });
  });

  test("a name that means nothing, or a bare one, waits for no server and starts none", async () => {
    await using kit = serveOver({
      slow: { prefix: "slow_", startMs: 60_000 },
      good: { prefix: "good_", tools: [{ name: "mine", inputSchema: object }] },
    });
    await waitFor(async () => (await jsonOf(await kit.ask("/tools"))).length === 1);
    const startedAt = performance.now();
    expect((await kit.ask("/tools", { json: { tool: "nope" } })).status).toBe(404);
    expect((await kit.ask("/tools/nope", { json: {} })).status).toBe(404);
    // It rests by now, and is not woken by names of nothing.
    const states = () => kit.host.servers().map(({ state }) => state);
    await waitFor(() => states()[1] !== "ready");
    expect((await kit.ask("/tools", { json: { tool: "nope" } })).status).toBe(404);
    expect(states()[1]).not.toBe("ready");
    expect((await kit.ask("/tools/mine", { json: {} })).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test("the wrong type of body is refused as everywhere, in llama-server's shape too", async () => {
    await using kit = serveOver({ s: {} });
    const headers = { "content-type": "text/plain" };
    const answer = await kit.ask("/tools", { method: "POST", body: '{"tool":"echo"}', headers });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ code: 415, type: "invalid_request_error" });
  });

  test("a server that cannot be used is told at once, with its name and no path of ours (B020, B022)", async () => {
    await using kit = serveOver({
      dying: { prefix: "dying_", ...faulty("crash-before-initialize") },
      folder: { prefix: "folder_", command: import.meta.dir, args: [] },
      good: { prefix: "good_" },
    });
    for (const name of ["dying", "folder"]) {
      const startedAt = performance.now();
      const { status, body } = await seen(kit.ask("/tools", { json: { tool: `${name}_x` } }));
      expect(status).toBe(200);
      expect(body).toMatchObject({ error: expect.stringContaining(`"${name}"`), call: id });
      expect(["server_start", "server_exit"]).toContain(body.code);
      expect(JSON.stringify(body)).not.toContain(import.meta.dir);
      const own = await seen(kit.ask(`/tools/${name}_x`, { json: {} }));
      expect(own).toMatchObject({ status: 502, body: { error: { server: name, call: id } } });
      expect(performance.now() - startedAt).toBeLessThan(5000);
    }
    const good = await jsonOf(await kit.ask("/tools", { json: { tool: "good_echo" } }));
    expect(good.plain_text_response).toBe("{}");
  });
});
