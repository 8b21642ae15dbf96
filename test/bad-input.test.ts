/**
 * Servers that misbehave, by the command line: a clear error or the right result, with the right exit status; nothing
 * hangs, and nothing is left running.
 */
import { describe, test } from "bun:test";

import { cases, faulty } from "./bad-input-kit.ts";
import { expectRun, mcphost } from "./harness.ts";
import { nothingLeft } from "./processes.ts";

describe.concurrent("by the command line", () => {
  test.each(Object.entries(cases))(
    "%s",
    async (fault, { call = ["fault"], server, limits, ...expected }) => {
      const entry = { command: process.execPath, args: faulty(fault), ...server };
      const config = JSON.stringify({ mcpServers: { server: entry }, limits });
      const run = await mcphost("call", ...call, "--config-json", config).run();
      expectRun(run, { stderr: /^/, ...expected });
      await nothingLeft(run.marker, 20_000);
    },
    60_000,
  );
});
