/** Profiles: what a client is shown and may call that asks for one, on each of the gateway's addresses and beside them. */
import { describe, expect, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { type Configured, entry, serveConfig } from "./config-kit.ts";
import { answerTo, both, collect, modernInit, session, told } from "./gateway-kit.ts";

const profiles = {
  one: { tools: ["a_*"] },
  pids: { tools: ["*pid"] },
  none: { tools: [] },
};
const config = { mcpServers: { a: entry(), b: entry() }, profiles };

function said(...messages: object[]): string {
  return messages.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
}

async function toolsAt(it: Configured, path: string): Promise<string[]> {
  const one = await session(it as never, { path });
  return await names(await one.request("tools/list"));
}

/** Of the tools that an answer lists. */
async function names(answer: Response): Promise<string[]> {
  const { result } = answerTo(await told(answer))!;
  return result.tools.map(({ name }: { name: string }) => name);
}

describe("serve", () => {
  test("?profile=NAME beside ?tools=GLOB, on /mcp, /mcp/SERVER, /tools and /openapi.json", async () => {
    await using it = await serveConfig(config);
    const all = ["echo", "pid", "silent", "wait"];
    expect(await toolsAt(it, "/mcp?profile=one")).toEqual(all.map((name) => `a_${name}`));
    expect(await toolsAt(it, "/mcp?profile=pids")).toEqual(["a_pid", "b_pid"]);
    expect(await toolsAt(it, "/mcp?profile=none")).toEqual([]);
    expect(await toolsAt(it, "/mcp/b?profile=pids")).toEqual(["pid"]);
    expect(await toolsAt(it, "/mcp/b?profile=one")).toEqual([]);
    // Of several profiles one is enough; globs narrow them.
    expect(await toolsAt(it, "/mcp?profile=one&profile=pids")).toEqual([
      ...all.map((name) => `a_${name}`),
      "b_pid",
    ]);
    expect(await toolsAt(it, "/mcp?profile=one&tools=*pid&tools=b_*")).toEqual(["a_pid"]);
    const listed = (await (await it.ask("/tools?profile=pids")).json()) as { tool: string }[];
    expect(listed.map(({ tool }) => tool)).toEqual(["a_pid", "b_pid"]);
    const { paths } = (await (await it.ask("/openapi.json?profile=pids")).json()) as any;
    expect(Object.keys(paths)).toEqual(["/tools/a_pid", "/tools/b_pid"]);
  });

  test("modern clients, HTTP+SSE and WebSockets are shown the same", async () => {
    await using it = await serveConfig(config);
    const asked = modernInit("tools/list") as any;
    const { result } = answerTo(await told(await it.ask("/mcp?profile=pids", asked)))!;
    expect(result.tools.map(({ name }: any) => name)).toEqual(["a_pid", "b_pid"]);
    expect((await it.ask("/sse?profile=nobody")).status).toBe(404);
    expect((await it.ask("/ws?profile=nobody", { headers: { upgrade: "websocket" } })).status).toBe(
      404,
    );
  });

  test("what is not shown may not be called, and looks as if it were not there", async () => {
    await using it = await serveConfig(config);
    const one = await session(it as never, { path: "/mcp?profile=pids" });
    const called = answerTo(await told(await one.call("a_pid")))!;
    expect(called.result.content[0].text).toMatch(/^\d+$/);
    const hidden = answerTo(await told(await one.call("a_echo")))!;
    const unknown = answerTo(await told(await one.call("a_nothing")))!;
    expect(hidden.error?.code).toBe(unknown.error!.code);
    expect(hidden.error?.message.replace("a_echo", "a_nothing")).toBe(unknown.error!.message);
  });

  test("an unknown one is 404, with those that there are; no name meets a prototype", async () => {
    await using it = await serveConfig(config);
    for (const path of ["/mcp?profile=ones", "/tools?profile=ones", "/openapi.json?profile=ones"]) {
      const answer = await it.ask(path, path.startsWith("/mcp") ? { json: {} } : {});
      const { error } = (await answer.json()) as any;
      expect([answer.status, error.code, error.profiles]).toEqual([
        404,
        "not_found",
        ["one", "pids", "none"],
      ]);
      expect(error.nearest).toEqual(["one"]);
    }
    for (const name of ["__proto__", "constructor", "toString", ""])
      expect((await it.ask(`/tools?profile=${name}`)).status).toBe(404);
  });

  test("who begins anew is shown what its address says, whatever session it names", async () => {
    await using it = await serveConfig(config);
    const { id: named } = await session(it as never);
    const headers = { accept: both, "mcp-session-id": named };
    const again = await session(it as never, { path: "/mcp?profile=pids", headers });
    expect(await names(await again.request("tools/list"))).toEqual(["a_pid", "b_pid"]);
    const asked = modernInit("tools/list", {}, { headers: { "mcp-session-id": named } }) as any;
    expect(await names(await it.ask("/mcp?profile=pids", asked))).toEqual(["a_pid", "b_pid"]);
  });

  test("a token's own tools stay the bound", async () => {
    const tokens = [{ name: "ci", token: "secret-of-ci", tools: ["b_*"] }];
    await using it = await serveConfig({ ...config, serve: { tokens } });
    const answer = await it.ask("/tools?profile=pids", { token: "secret-of-ci" });
    const listed = (await answer.json()) as { tool: string }[];
    expect(listed.map(({ tool }) => tool)).toEqual(["b_pid"]);
  });

  test("one that changes is told of, and counts at once for clients that stay", async () => {
    await using it = await serveConfig(config);
    const one = await session(it as never, { path: "/mcp?profile=pids" });
    const heard = collect(await one.ask({ headers: { accept: "text/event-stream" } }));
    const seen = async () => await names(await one.request("tools/list"));
    await it.write({ ...config, profiles: { ...profiles, pids: { tools: ["b_pid"] } } });
    await waitFor(() => heard.some(({ method }) => method === "notifications/tools/list_changed"));
    expect(await seen()).toEqual(["b_pid"]);
    await it.write({ ...config, profiles: { one: profiles.one } });
    await waitFor(async () => (await it.ask("/tools?profile=pids")).status === 404);
    const gone = await one.request("tools/list");
    expect(gone.status).toBe(404);
  });
});

describe("mcphost gateway", () => {
  const json = JSON.stringify(config);
  const initialize = {
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    },
  };

  test("--profile shows its tools alone", async () => {
    const run = await mcphost("gateway", "--profile", "pids", "--config-json", json)
      .stdin(said(initialize, { id: 2, method: "tools/list" }))
      .run();
    expectRun(run, { stdout: /./ });
    const all = run.stdout
      .trimEnd()
      .split("\n")
      .map((one) => JSON.parse(one));
    expect(answerTo(all, 2)?.result.tools.map(({ name }: any) => name)).toEqual(["a_pid", "b_pid"]);
  });

  test("an unknown one ends it before anything starts", async () => {
    const run = await mcphost("gateway", "--profile", "pid", "--config-json", json).run();
    expectRun(run, {
      code: 2,
      stderr: /--profile pid: no profile here is called so\n.*did you mean pids\?/,
    });
  });
});
