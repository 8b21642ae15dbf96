/** Servers that misbehave, by the module: what becomes of a call, and that the next one in the same host works. */
import { describe, expect, test } from "bun:test";

import { createHost, type Outcome } from "../mcphost.ts";
import { argumentsOf, cases, faulty } from "./bad-input-kit.ts";
import { tempDir } from "./harness.ts";
import { nothingLeft } from "./processes.ts";

describe.concurrent("by the module", () => {
  test.each(Object.entries(cases))(
    "%s, and the next call works",
    async (fault, { call = ["fault"], server = {}, limits = {}, code = 0, again }) => {
      await using home = await tempDir();
      {
        const command = process.execPath;
        await using host = await createHost({
          servers: {
            server: { command, args: faulty(fault), prefix: "", stopMs: 300, ...server },
            good: { command, args: faulty("none"), stopMs: 300 },
          },
          env: { PATH: process.env["PATH"], HOME: home.path },
          limits,
        });
        const [name, ...args] = call;
        const outcome = await host.call({
          tool: `server.${name}`,
          arguments: argumentsOf(args),
        });
        expect(outcome.status).toBe(statusOf(code));
        const tool = again === false ? "good.echo" : "server.echo";
        const after = await host.call({ tool, arguments: { message: "after" } });
        expect(after).toMatchObject({ status: "completed" });
      }
      await nothingLeft(home.path, 20_000);
    },
    60_000,
  );
});

// --- internal ---

function statusOf(code: number | null): Outcome["status"] {
  return code === 0 ? "completed" : code === 6 ? "uncertain" : "failed";
}
