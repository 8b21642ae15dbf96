/** What is asked of each real server: of a process of its own by each run of the real program, and of one by the module. */
import { expect } from "bun:test";
import { join } from "node:path";

import { createHost } from "../mcphost.ts";
import { argumentsOf } from "./bad-input-kit.ts";
import { expectRun, mcphost, root, tempDir } from "./harness.ts";
import { nothingLeft } from "./processes.ts";

/** A server, and what is to come of what it is asked. */
export interface RealServer {
  name: string;
  command: string[];
  /** Variables of its own. */
  env?: Record<string, string>;
  /** Tools that its list must hold. */
  lists: string[];
  era: "legacy" | "modern";
  call: string[];
  /** Exact stdout of the call, or a pattern where it holds a clock. */
  result: string | RegExp;
  /** @default nothing */
  stderr?: RegExp;
  /** A call whose arguments do not fit. */
  misfit: string[];
}

/** A tool that adds, as most of them have it. */
export const add = {
  lists: ["add"],
  call: ["add", "a=2", "b=40"],
  misfit: ["add", "a=two", "b=40"],
};

/** What uv itself is told about caches and certificates; each of these servers gets all of ours. */
const uvEnv = {
  UV_CACHE_DIR: join(root, "node_modules/.cache/uv"),
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(UV_|SSL_|PIP_)/.test(name)),
  ),
};

/** The first of a Python server fetches it. */
const testMs = 120_000;

/** `test`, or a kind of it. */
type Tester = (title: string, body: () => Promise<void>, timeoutMs: number) => unknown;

/** The tests of one server. */
export function exercise(server: RealServer, tester: Tester): void {
  const run = (title: string, body: () => Promise<void>) => tester(title, body, testMs);
  const call = async (...words: string[]) => {
    const flags = Object.entries(server.env ?? {}).map(([name, value]) => `--env=${name}=${value}`);
    const result = await mcphost("call", ...words, ...flags, "--", ...server.command)
      .env(uvEnv)
      .timeoutMs(testMs / 2)
      .run();
    await nothingLeft(result.marker);
    return result;
  };

  run("answers a call", async () => {
    expectRun(await call(...server.call), { stdout: server.result, stderr: server.stderr ?? "" });
  });

  run("refuses itself what we send all the same: a tool that it lacks, bad arguments", async () => {
    const lacking = await call("no_such_tool", "--no-validate");
    expectRun(lacking, { code: 1, stderr: /no_such_tool/ });
    expectRun(await call(...server.misfit, "--no-validate"), { code: 1, stderr: /\S/ });
  });

  run("lists its tools in its own era, and is not sent what does not fit them", async () => {
    await using home = await tempDir();
    {
      const [command = "", ...args] = server.command;
      const env = { ...uvEnv, ...server.env };
      await using host = await createHost({
        servers: { it: { command, args, env, stopMs: 500, startTimeoutMs: testMs / 2 } },
        env: { PATH: process.env["PATH"], HOME: home.path },
      });
      const unsent = { status: "failed", sent: false, error: { code: "usage" } };
      const { tools, failed } = await host.tools();
      expect(failed).toEqual([]);
      expect(tools.map(({ tool }) => tool)).toEqual(expect.arrayContaining(server.lists));
      expect(host.servers()).toMatchObject([{ state: "ready", era: server.era }]);

      const [name, ...words] = server.misfit;
      const misfit = await host.call({ tool: `it.${name}`, arguments: argumentsOf(words) });
      expect(misfit).toMatchObject(unsent);
      expect(await host.call({ tool: "it.no_such_tool" })).toMatchObject(unsent);
    }
    await nothingLeft(home.path);
  });
}
