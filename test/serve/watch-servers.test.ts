/** Servers while `serve` runs: which are looked at, rest, are used again, and stand at `/servers`. */
import { describe, expect, test } from "bun:test";

import { serveRemote } from "../fixtures/remote/server.ts";
import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import { fixture, gone, json, listen, states } from "./watch-kit.ts";

describe("servers", () => {
  test("that failed are tried again by who lists tools", async () => {
    await using remote = await serveRemote({ transport: "http" });
    await remote.stop();
    const far = { kind: "http", url: remote.url, transport: "http", headers: {} } as const;
    await using it = serveOver({ far: far as object, near: fixture() });
    await it.served.context.discovery.done;
    expect(await states(it)).toMatchObject({ far: "failed" });
    remote.start();
    await waitFor(async () => JSON.stringify(await json(it, "/tools")).includes('"server":"far"'));
    expect(await states(it)).toMatchObject({ far: "ready" });
  });

  test("are all looked at beside each other; the slow and the dead delay nobody", async () => {
    await using it = serveOver({
      slow: { startMs: 5000 },
      gone,
      quick: {},
      eager: { lifecycle: "eager" },
    });
    await waitFor(async () => {
      const { quick, eager, gone: dead } = await states(it);
      const known = await it.host.knownTools();
      const names = known.tools.map(({ name }) => name).toSorted();
      const all = Bun.deepEquals(names, ["eager_echo", "quick_echo"]);
      return all && quick === "idle" && eager === "ready" && dead === "failed";
    });
    expect((await states(it))["slow"]).toBe("starting");
  });

  test("a lazy one rests after the first look, starts for its first call and is kept", async () => {
    await using it = serveOver({ a: fixture() });
    await it.served.context.discovery.done;
    expect(await states(it)).toEqual({ a: "idle" });
    const call = async (tool: string) => await it.host.call({ tool, arguments: {} });
    const pids = [await call("a_pid"), await call("a_pid")].map((outcome) => textOf(outcome));
    expect(pids[0]).toBe(pids[1]!);
    expect(await states(it)).toEqual({ a: "ready" });
  });

  test("one that is used while it is first looked at is not stopped under it", async () => {
    await using it = serveOver({ a: fixture({ startMs: 100 }) });
    const outcome = await it.host.call({ tool: "a_wait", arguments: { ms: 300 } });
    expect(outcome.status).toBe("completed");
  });

  test("idleMs stops it after that time without calls, and not under one", async () => {
    await using it = serveOver({ a: fixture({ idleMs: 150 }) });
    await it.served.context.discovery.done;
    const long = it.host.call({ tool: "a_wait", arguments: { ms: 500 } });
    expect(textOf(await long)).toBe("waited");
    expect(await states(it)).toEqual({ a: "ready" });
    await waitFor(async () => (await states(it))["a"] === "idle");
    expect((await it.host.call({ tool: "a_echo", arguments: {} })).status).toBe("completed");
  });

  test("B095 no secret is in what is told of them, errors and events included", async () => {
    const rude = { command: "/nowhere/s3cr3t", args: [], lifecycle: "eager" as const };
    await using it = serveOver({ rude, a: fixture() }, { redact: hideSecret });
    const heard = await listen(it);
    await it.host.call({ tool: "rude_x", arguments: {} });
    await waitFor(() => heard.text().includes("server_start"));
    const texts = await Promise.all(
      ["/health", "/servers", "/servers/rude"].map(async (path) => (await it.ask(path)).text()),
    );
    for (const text of [...texts, heard.text()]) {
      expect(text).toContain("cannot be started");
      expect(text).not.toContain("s3cr3t");
    }
  });

  test("stand at /servers, each by its name", async () => {
    await using it = serveOver({ a: { lifecycle: "eager" }, b: gone });
    await it.served.context.discovery.done;
    expect(await json(it, "/servers")).toMatchObject([
      { name: "a", state: "ready", serverInfo: {} },
      { name: "b", state: "failed" },
    ]);
    expect(await json(it, "/servers/a")).toMatchObject({ name: "a", tools: 1 });
    const unknown = await it.ask("/servers/__proto__");
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { error: { code: "not_found" } },
    ]);
  });
});

function hideSecret(text: string): string {
  return text.replaceAll("s3cr3t", "***");
}

function textOf(outcome: { result?: any }): string {
  return String(outcome.result?.content[0].text);
}
