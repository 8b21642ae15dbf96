/** The command line over servers that are reached by a URL. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import type { Facts } from "../../lib/base/errors.ts";
import { diagnose } from "../../lib/cli/doctor.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import type { RemoteServerOptions } from "../fixtures/remote/server.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import { liveProcesses, waitFor } from "../processes.ts";

const kinds: [string, RemoteServerOptions][] = [
  ["http, legacy", { transport: "http", era: "legacy" }],
  ["http, modern", { transport: "http", era: "modern" }],
  ["sse", { transport: "sse" }],
  ["ws", { transport: "ws", era: "modern" }],
];

describe.each(kinds)("%s", (_, options) => {
  test("call, tools, servers and doctor", async () => {
    await using server = await serveRemote(options);
    await using home = await tempDir();
    const at = (...words: string[]) =>
      mcphost(...words, "-s", `far=${server.url}`)
        .home(home.path)
        .run();
    expectRun(await at("call", "echo", "text=hi"), { stdout: "hi\n" });
    expectRun(await at("tools"), { stdout: /^echo\(text: string\)/ });
    const era = options.era === "modern" ? "modern 2026-07-28" : "legacy 2025-11-25";
    expectRun(await at("servers", "--check"), { stdout: new RegExp(`far +http +ready +${era} `) });
    expectRun(await at("doctor"), {
      stdout: new RegExp(`^far: ok, ${era}, feature-fixture 1.0.0, \\d+ tools, connected in`),
    });
    expectRun(await at("call", "nope"), { code: 2, stderr: /nope/ });
    // What was learned is shown without asking anybody.
    server.requests.length = 0;
    expectRun(await at("servers"), { stdout: new RegExp(`far +http +idle +${era} `) });
    expect(server.requests).toEqual([]);
  });
});

test("a session is ended by Ctrl-C, too, and the call is given up first", async () => {
  await using server = await serveRemote({ transport: "http" });
  const line = mcphost("call", "hang", "-s", server.url);
  await using running = await line.start();
  await waitFor(() => server.methods().includes("tools/call"));
  // Nothing but the program itself: there is no process for a reaper to end.
  expect(await liveProcesses(running.marker)).toHaveLength(1);
  running.kill("SIGINT");
  expectRun(await running.done, { code: 130, stderr: /interrupted/ });
  await waitFor(() => server.requests.some(({ method }) => method === "DELETE"));
  expect(server.methods()).toContain("notifications/cancelled");
});

test("a modern call is given up by the end of its stream alone", async () => {
  await using server = await serveRemote({ transport: "http", era: "modern" });
  await using running = await mcphost("call", "hang", "-s", server.url).start();
  await waitFor(() => server.methods().includes("tools/call"));
  running.kill("SIGINT");
  expectRun(await running.done, { code: 130, stderr: /interrupted/ });
  await waitFor(() => server.requests.at(-1)?.signal.aborted === true);
  expect(server.methods()).not.toContain("notifications/cancelled");
});

test("a server that does not answer the end of its session holds nobody up", async () => {
  await using server = await serveRemote({
    transport: "http",
    intercept: ({ method }) => (method === "DELETE" ? new Promise(() => {}) : undefined),
  });
  const { ms, ...run } = await mcphost("call", "echo", "text=hi", "-s", server.url).run();
  expectRun({ ...run, ms }, { stdout: "hi\n" });
  await using quick = await serveRemote({ transport: "http" });
  const other = await mcphost("call", "echo", "text=hi", "-s", quick.url).run();
  expect(ms - other.ms).toBeLessThan(2000);
});

test("a tool with a bad header is told of, and the others are there", async () => {
  const properties = { at: { type: "number", "x-mcp-header": "At" } };
  await using server = await serveRemote({
    transport: "http",
    era: "modern",
    tools: [
      {
        tool: { name: "place", inputSchema: { type: "object", properties } },
        run: () => ({ content: [] }),
      },
    ],
  });
  const run = await mcphost("tools", "-s", `far=${server.url}`).run();
  expect(run.code).toBe(0);
  expect(run.stdout).not.toContain("place");
  expect(run.stderr).toMatch(/place.*not on a string, an integer or a boolean.*left out/s);
});

describe("doctor", () => {
  test.each<[string, string | undefined, RegExp]>([
    ["nothing listens", undefined, /nothing listens on 127\.0\.0\.1:1 [^]*is the server running/],
    ["no such path", "/nowhere", /HTTP 404[^]*most servers answer at \/mcp/],
  ])("%s", async (_, path, told) => {
    await using server = await serveRemote({ transport: "http" });
    const url = path === undefined ? "http://127.0.0.1:1/mcp" : new URL(path, server.url).href;
    expectRun(await mcphost("doctor", "-s", `far=${url}`).run(), { code: 3, stdout: told });
  });

  const diagnosisOf = (facts: Facts, url = "http://127.0.0.1:8080/") => {
    const error = new HostError(
      facts["code"] === "auth" ? "auth_required" : "server_start",
      "it failed",
      { facts, hint: "its own hint" },
    );
    const reached = { url, transport: "auto" };
    const [finding] = diagnose({ name: "far", ourEnv: [], reached, error }).findings;
    return [finding?.code, finding?.hint];
  };

  test.each<[Facts, string, RegExp]>([
    [{ code: "auth", httpStatus: 401 }, "auth", /its own hint/],
    [
      { errno: "DEPTH_ZERO_SELF_SIGNED_CERT", certificate: "self-signed" },
      "certificate",
      /its own/,
    ],
    [{ errno: "ENOTFOUND" }, "unreachable", /its own hint/],
    [{ httpStatus: 404 }, "http-status", /path may be missing.*\/mcp/],
    [{ httpStatus: 403 }, "http-status", /try localhost for 127\.0\.0\.1/],
    [{ httpStatus: 503 }, "http-status", /trouble of the server's own/],
    [{ rpcCode: -32000 }, "refused", /its own hint/],
    [{ timeoutMs: 60_000 }, "silent", /its own hint/],
    [{}, "start", /its own hint/],
  ])("%j is %s", (facts, code, hint) => {
    expect(diagnosisOf(facts)).toEqual([code, expect.stringMatching(hint)]);
  });
});
