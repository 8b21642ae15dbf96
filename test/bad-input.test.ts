/**
 * Servers that misbehave, by the command line with a config: a clear error or the right result, with the right exit status;
 * nothing hangs, and nothing is left running. What needs no key and no limit of a config is in cli/plain-faults.test.ts.
 */
import { describe, test } from "bun:test";

import { cases, faulty, needsConfig } from "./bad-input-kit.ts";
import { expectRun, mcphost } from "./harness.ts";
import { nothingLeft } from "./processes.ts";

describe.concurrent("by the command line", () => {
  test.each(Object.entries(cases).filter(([fault]) => fault === "none" || needsConfig(fault)))(
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
