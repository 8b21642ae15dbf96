/** Subscriptions that are lost, ended by their server, or not there at all. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { serveRemote } from "../fixtures/remote/server.ts";
import { bunAlone, expectRun, mcphost, root, sourceProgram, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { name, subscribed, ways } from "./subscribe-kit.ts";

setDefaultTimeout(30_000);

const modernWays = ways
  .filter(({ era }) => era === "modern")
  .map((way) => [name(way), way] as const);

test.each(modernWays)(
  "what is lost is subscribed again, and all is told as changed (%s)",
  async (_name, way) => {
    await using it = await subscribed(way, "test://a", "test://b");
    await it.opened();
    it.server.state.touch("test://a");
    await it.has(["test://a"]);
    it.server.cutStreams();
    await it.opened(2);
    await it.has(["test://a", "test://a", "test://b"]);
    it.server.state.touch("test://b");
    await it.has(["test://a", "test://a", "test://b", "test://b"]);
  },
);

test("a server that is started again is subscribed to again, and its absence is told (http legacy)", async () => {
  await using it = await subscribed({ transport: "http", era: "legacy" }, "test://a");
  await it.opened();
  await waitFor(() => it.server.requests.some(({ method }) => method === "GET"), "its stream");
  await it.server.restart();
  // What is told of the server's own stream is that the session is gone.
  await it.opened(2);
  await it.has(["test://a"]);
  await waitFor(() => {
    it.server.state.touch("test://a");
    return it.lines().length > 1;
  }, "a line");
  expect(it.stderr()).toBe("");

  await it.server.stop();
  await waitFor(() => it.stderr() !== "", "a word of the absence", 20_000);
  expect(it.stderr()).toMatch(
    /^mcphost: warning: \[far\] the subscription is opened again in \d+ ms: server "far": nothing listens on .*\n$/,
  );
  it.server.start();
  await it.opened(3);
});

test("a reader that leaves ends it quietly", async () => {
  await using server = await serveRemote({ transport: "ws", era: "modern" });
  await using home = await tempDir();
  const words = [...sourceProgram, "subscribe", "test://a", "-s", `far:ws:${server.url}`];
  const line = `${words.map((word) => `'${word}'`).join(" ")} | head -n 1; echo "status $?"`;
  const proc = Bun.spawn(["sh", "-c", line], {
    env: { PATH: process.env["PATH"], HOME: home.path },
    stdout: "pipe",
  });
  const timer = setInterval(() => server.state.touch("test://a"), 20);
  const text = await proc.stdout.text();
  clearInterval(timer);
  expect(text).toBe("test://a\nstatus 0\n");
});

/** A modern server that ends each subscription as soon as it has told of one change. */
function endingServer() {
  return Bun.serve({
    port: 0,
    fetch: (request, server) =>
      server.upgrade(request, { headers: { "sec-websocket-protocol": "mcp" } })
        ? undefined
        : new Response(null, { status: 426 }),
    websocket: {
      message(ws, text) {
        const { id, method, params } = JSON.parse(String(text));
        const say = (message: object) =>
          void ws.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
        if (method === "server/discover") {
          const capabilities = { resources: { subscribe: true } };
          const supportedVersions = ["2026-07-28"];
          return say({ id, result: { resultType: "complete", supportedVersions, capabilities } });
        }
        const _meta = { "io.modelcontextprotocol/subscriptionId": id };
        const { notifications } = params;
        say({
          method: "notifications/subscriptions/acknowledged",
          params: { notifications, _meta },
        });
        say({ method: "notifications/resources/updated", params: { uri: "test://a", _meta } });
        say({ id, result: { resultType: "complete", _meta } });
      },
    },
  });
}

test("a server that ends the subscription in order ends the command", async () => {
  await using server = endingServer();
  const run = await mcphost(
    "subscribe",
    "test://a",
    "-s",
    `far:ws:ws://127.0.0.1:${server.port}`,
  ).run();
  expectRun(run, { stdout: "test://a\n" });
});

test("a server that tells of nothing is an error", async () => {
  const server = [...bunAlone, join(root, "test/fixtures/cli/many.ts")];
  const run = await mcphost("subscribe", "x://y", "--", ...server).run();
  expectRun(run, {
    code: 1,
    stderr:
      'mcphost: server "server" tells of no changes of what was asked for: x://y\n' +
      "  mcphost read x://y shows what it is now\n",
  });
});

test.concurrent.each([
  [["x://y z"], "mcphost read 'x://y z' shows what it is now"],
  [[], "mcphost tools, resources and prompts show what there is now"],
])("so is one that knows no subscriptions at all: %j", async (uris, hint) => {
  const server = [...bunAlone, join(root, "examples/echo.ts")];
  const text = 'mcphost: server "server" has no subscriptions: it tells nobody of changes';
  expectRun(await mcphost("subscribe", ...uris, "--", ...server).run(), {
    code: 1,
    stderr: `${text} (-32601: Method not found: subscriptions/listen)\n  ${hint}\n`,
  });
});

test("a server that knows nothing of it: what to do stands behind the error", async () => {
  const server = [...bunAlone, join(root, "test/fixtures/cases/run.ts"), "plain.tells"];
  for (const words of [["read", "x://y"], ["resources"]]) {
    const run = await mcphost(...words, "--", ...server).run();
    if (words[0] === "read")
      expectRun(run, {
        code: 1,
        stderr: /-32601.*\n {2}the server does not offer that$/m,
      });
  }
});
