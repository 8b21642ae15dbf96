/** Who asks `serve` to read its config again, and who is told. */
import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";

import { mcphost, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { entry, logged, serveConfig } from "./config-kit.ts";
import { collect, session } from "./gateway-kit.ts";
import { over, reload } from "./reload-kit.ts";

const setsid = Bun.which("setsid");

describe("who asks for it", () => {
  test("POST /servers/reload needs the key, says what changed, or what is wrong", async () => {
    await using it = await serveConfig(over({ a: entry(), b: entry() }));
    expect((await it.ask("/servers/reload", { method: "POST" })).status).toBe(401);
    expect((await it.ask("/servers/reload", { method: "POST", token: "x" })).status).toBe(401);
    const same = await reload(it);
    expect([same.status, same.body]).toMatchObject([
      200,
      { added: [], removed: [], changed: [], adjusted: [], kept: ["a", "b"] },
    ]);
    expect(same.etag).toBe(`"${same.body.revision}"`);
    await it.write(
      over({ a: entry({}, { deniedTools: ["wait"] }), b: entry({}, { cwd: "/" }), c: entry() }),
    );
    await it.shows("a", "b", "c");
    await it.write(`{"mcpServers": {"a": {}`);
    const wrong = await reload(it);
    expect([wrong.status, wrong.body.error.code]).toEqual([409, "config"]);
    expect(wrong.body.error.message).toMatch(/servers\.json:1:\d+: expected/);
    // Where the file lies is nobody's business.
    expect(JSON.stringify(wrong.body)).not.toContain(it.folder.path);
  });

  test("a token for some tools alone changes nothing", async () => {
    const serve = { tokens: [{ name: "ci", token: "secret-of-ci", tools: ["*"] }] };
    await using it = await serveConfig(over({ a: entry() }, { serve }));
    const bound = { token: "secret-of-ci" };
    const reloaded = await it.decide("/servers/reload", { method: "POST", ...bound });
    expect([reloaded.status, reloaded.body.error.code]).toEqual([403, "denied"]);
    const added = await it.decide("/servers", { json: { name: "b", server: entry() }, ...bound });
    expect(added.status).toBe(403);
  });

  test.skipIf(setsid === null)("SIGHUP, where no terminal can hang up", async () => {
    await using it = await serveConfig(over({ a: entry() }), { within: [setsid!] });
    const pid = await it.call("pid");
    // What no watch would tell.
    it.kill("SIGHUP");
    await it.write(over({ a: entry(), b: entry() }));
    it.kill("SIGHUP");
    await it.shows("a", "b");
    expect(await it.call("a_pid")).toBe(pid);
    expect(await logged(it)).toBe("");
    expect(await it.exited).toBe(143);
  });

  test("SIGHUP on a terminal ends it", async () => {
    await using folder = await tempDir();
    await writeFile(folder.file("c.json"), JSON.stringify(over({ a: entry() })));
    const run = mcphost("serve", "--json", "--port", "0", "-c", folder.file("c.json"));
    await using screen = await run.terminal();
    await screen.shows(/"pid":\d+/);
    process.kill(Number(/"pid":(\d+)/.exec(screen.text())![1]), "SIGHUP");
    expect(await screen.exited).toBe(129);
    await nothingLeft(screen.marker);
  });
});

describe("clients of the gateway", () => {
  test("are told that lists changed, once for all, and find what there is", async () => {
    await using it = await serveConfig(over({ a: entry() }));
    const one = await session(it as never);
    const two = await session(it as never, { path: "/mcp/a" });
    const stream = await one.ask({ headers: { accept: "text/event-stream" } });
    const streamOfA = await two.ask({ headers: { accept: "text/event-stream" } }, "/mcp/a");
    const [told, toldOfA] = [collect(stream), collect(streamOfA)];
    await it.write(over({ a: entry(), b: entry() }));
    await waitFor(() => told.filter(({ method }) => method?.endsWith("list_changed")).length >= 3);
    const methods = told.map(({ method }) => method).toSorted();
    expect(methods).toEqual([
      "notifications/prompts/list_changed",
      "notifications/resources/list_changed",
      "notifications/tools/list_changed",
    ]);
    const answer = await one.request("tools/list");
    const { result } = (await answer.json()) as any;
    expect(result.tools.map(({ name }: any) => name)).toContain("b_echo");
    expect(toldOfA).toEqual([]);
  });
});
