/** A thousand calls at once over one server that is reached by a URL, and how many requests one call takes. */
import { describe, expect, test } from "bun:test";

import { serveRemote } from "../fixtures/remote/server.ts";
import type { RemoteServer } from "../fixtures/remote/server.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import { openWay, ways } from "./ways.ts";

const remote = ways.filter(({ transport }) => transport !== undefined);
const json = { answers: "json" } as const;

describe.each([
  ...remote,
  { name: "HTTP, legacy, JSON", era: "legacy", transport: "http", options: json },
  { name: "HTTP, modern, JSON", era: "modern", transport: "http", options: json },
] as const)("$name", (way) => {
  test("1,000 calls in flight are all answered rightly", async () => {
    await using on = await openWay(way, { entry: { concurrency: 1000 } });
    await on.host.tools();
    const calls = Array.from({ length: 1000 }, (_, a) => on.say("add", { a, b: 0.25 }));
    expect(await Promise.all(calls)).toEqual(calls.map((_, a) => String(a + 0.25)));
  });
});

/** Those of the second of two commands: the first one learns what there is to remember. */
async function secondRun(server: RemoteServer, ...flags: string[]): Promise<string[]> {
  await using home = await tempDir();
  const run = () =>
    mcphost("call", "add", "a:=2", "b:=40", "-s", `srv=${server.url}`, ...flags)
      .home(home.path)
      .run();
  expectRun(await run(), { stdout: "42\n" });
  server.requests.length = 0;
  expectRun(await run(), { stdout: "42\n" });
  return server.requests.map(({ method, message }) =>
    message !== undefined && "method" in message ? message.method : method,
  );
}

describe("requests of one command", () => {
  test("a modern server whose era is known: the list, and the call", async () => {
    await using server = await serveRemote({ transport: "http", era: "modern" });
    expect(await secondRun(server)).toEqual(["tools/list", "tools/call"]);
  });

  test("without a check of the arguments: the call", async () => {
    await using server = await serveRemote({ transport: "http", era: "modern" });
    expect(await secondRun(server, "--no-validate")).toEqual(["tools/call"]);
  });

  test("while the list of an earlier command is fresh: the call", async () => {
    await using server = await serveRemote({ transport: "http", era: "modern", ttlMs: 60_000 });
    expect(await secondRun(server)).toEqual(["tools/call"]);
  });

  test("a legacy server with a session: the handshake, the list, the call, the farewell", async () => {
    await using server = await serveRemote({ transport: "http", era: "legacy" });
    const seen = (await secondRun(server)).filter((method) => method !== "GET");
    expect(seen).toEqual([
      "initialize",
      "notifications/initialized",
      "logging/setLevel",
      "tools/list",
      "tools/call",
      "DELETE",
    ]);
  });
});
