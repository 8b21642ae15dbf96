/** Servers of both eras that run tools as tasks, and small ways to begin a task and to see what became of it. */
import { afterAll, beforeAll } from "bun:test";
import { join } from "node:path";

import { eras } from "../client/served.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import type { RemoteServer } from "../fixtures/remote/server.ts";
import { bunAlone, expectRun, mcphost, root } from "../harness.ts";
import type { TempDir } from "../harness.ts";

type Era = (typeof eras)[number];

const program = join(root, "test/fixtures/remote/stdio.ts");

/** The words that start a server of an era. */
export const command = (era: Era) => ["--", ...bunAlone, program, era];

/** A server of each era, reached by a URL while the tests of a file run. */
export function taskServers() {
  const servers = new Map<Era, RemoteServer>();
  beforeAll(async () => {
    for (const era of eras) servers.set(era, await serveRemote({ transport: "http", era }));
  });
  afterAll(async () => {
    for (const server of servers.values()) await server[Symbol.asyncDispose]();
  });

  const serverOf = (era: Era) => servers.get(era) as RemoteServer;
  const flagOf = (era: Era) => ["-s", `far:http:${serverOf(era).url}`];
  return {
    serverOf,
    /** The words that name it. */
    flagOf,
    statusOf: (era: Era, id: string) => serverOf(era).state.tasks.get(id)?.status,
    callsOf: (era: Era) =>
      serverOf(era)
        .methods()
        .filter((method) => method === "tools/call").length,
    /** Whether somebody asked about a task. */
    asksFor: (era: Era, id: string) =>
      serverOf(era).requests.some(({ body }) => body.includes("tasks/get") && body.includes(id)),
    /** Begins a task, and returns its id. */
    async begin(home: TempDir, era: Era, ...words: string[]): Promise<string> {
      const run = await mcphost("call", ...words, "--detach", ...flagOf(era))
        .home(home.path)
        .run();
      expectRun(run, { stdout: /^\S+\n$/ });
      return run.stdout.trim();
    },
  };
}
