/** Tasks that a legacy server over HTTP knows in the session alone that made them. */
import { expect, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { serveRemote } from "../fixtures/remote/server.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";

/** Such a server. */
async function sessionBound() {
  let maker: string | undefined;
  const server = await serveRemote({
    transport: "http",
    era: "legacy",
    intercept({ message, headers }) {
      if (message === undefined || !("method" in message) || !("id" in message)) return undefined;
      const { id, method } = message;
      const session = headers["mcp-session-id"];
      if (method === "tools/call") maker = session;
      if (!method.startsWith("tasks/") || session === maker) return undefined;
      return Response.json({ jsonrpc: "2.0", id, error: { code: -32602, message: "not found" } });
    },
  });
  const ids = (method: string) =>
    server.requests.flatMap(({ message }) =>
      message && "method" in message && message.method === method && "id" in message
        ? [message.id]
        : [],
    );
  return {
    server,
    ids,
    deleted: () => server.requests.filter(({ method }) => method === "DELETE").length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test("the session that a task is known in is kept, and gone on with", async () => {
  await using home = await tempDir();
  await using far = await sessionBound();
  const task = (...words: string[]) => mcphost("task", ...words).home(home.path);
  const words = ["call", "work", "steps:=2", "ms:=50", "--detach", "-s", `far=${far.server.url}`];
  const run = await mcphost(...words)
    .home(home.path)
    .run();
  expectRun(run, { stdout: /^\S+\n$/ });
  const id = run.stdout.trim();
  expectRun(await task(id, "--wait").run(), { stdout: "done after 2 steps\n" });
  expectRun(await task(id).run(), { stdout: "done after 2 steps\n" });
  expect(far.ids("initialize")).toHaveLength(1);
  expect(far.deleted()).toBe(0);
  // No id is used twice in a session.
  const asked = far.ids("tasks/get");
  expect(Math.min(...asked.map(Number))).toBeGreaterThan(Number(far.ids("tools/call")[0]));
  expect(new Set(asked).size).toBe(asked.length);

  await far.server.restart();
  expectRun(await task(id, "--wait").run(), { code: 1, stderr: /-32602/ });
  expect(far.ids("initialize")).toHaveLength(2);
});

test("the id of the session is for nobody else's eyes, and for no other server", async () => {
  await using home = await tempDir();
  await using far = await sessionBound();
  await using other = await serveRemote({ transport: "http", era: "legacy" });
  const words = ["call", "must_work", "steps:=2", "--detach", "-s", `far=${far.server.url}`];
  const run = await mcphost(...words)
    .home(home.path)
    .run();
  const folder = home.file("state/mcphost/tasks");
  const [file = ""] = await readdir(folder);
  expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  const { session } = JSON.parse(await Bun.file(join(folder, file)).text());
  expect(session).toEqual({
    id: expect.any(String),
    revision: "2025-11-25",
    url: far.server.url,
  });
  expect(run.stdout + run.stderr).not.toContain(session.id);
  await mcphost("task", run.stdout.trim(), "-s", `far=${other.url}`).home(home.path).run();
  const sessions = other.requests.map(({ headers }) => headers["mcp-session-id"]);
  expect(sessions.length).toBeGreaterThan(0);
  expect(sessions).not.toContain(session.id);
});

test("a session is ended where no task was left in it", async () => {
  await using far = await sessionBound();
  const words = ["call", "must_work", "steps:=1", "ms:=5", "-s", `far=${far.server.url}`];
  expectRun(await mcphost(...words).run(), { stdout: /done/ });
  expect(far.deleted()).toBe(1);
});

test.each(["sse", "ws"] as const)(
  "a task that may end with the connection is told (%s)",
  async (transport) => {
    await using far = await serveRemote({ transport, era: "legacy" });
    const words = ["call", "work", "--detach", "-s", `far:${transport}:${far.url}`];
    expectRun(await mcphost(...words).run(), {
      stdout: /^\S+\n$/,
      stderr: /^mcphost: warning: \[far\] it has no session that could be gone on with: .*\n$/,
    });
  },
);
