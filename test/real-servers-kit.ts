/** What is asked of each real server, through the real program. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { expectRun, mcphost, root } from "./harness.ts";
import { nothingLeft } from "./processes.ts";

/** A server, and what is to come of what it is asked. */
export interface RealServer {
  name: string;
  command: string[];
  /** Extra flags of ours, such as `--env`. */
  flags?: string[];
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
const uvEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(UV_|SSL_|PIP_)/.test(name)),
);

/** The first of a Python server fetches it. */
const testMs = 120_000;

/** The tests of one server. */
export function exercise(server: RealServer, tester: typeof test | typeof test.skip): void {
  const run = (title: string, body: () => Promise<void>) => tester(title, body, testMs);
  /** The era is remembered in the first run, and used in the later ones. */
  const call = async (words: string[], ...flags: string[]) => {
    const args = [...(server.flags ?? []), ...flags, "--", ...server.command];
    const result = await mcphost(...words, ...args)
      .env({ UV_CACHE_DIR: join(root, "node_modules/.cache/uv"), ...uvEnv })
      .timeoutMs(testMs / 2)
      .run();
    await nothingLeft(result.marker);
    return result;
  };

  run("lists its tools", async () => {
    const listed = await call(["tools"], "--json");
    expect(listed.code, listed.stderr).toBe(0);
    const names = JSON.parse(listed.stdout).map((tool: { name: string }) => tool.name);
    expect(names).toEqual(expect.arrayContaining(server.lists));
  });

  run("is spoken to in its own era", async () => {
    const [status] = JSON.parse((await call(["servers"], "--check", "--json")).stdout);
    expect(status.era).toBe(server.era);
  });

  run("answers a call", async () => {
    expectRun(await call(["call", ...server.call]), {
      stdout: server.result,
      stderr: server.stderr ?? "",
    });
  });

  // That we refuse it hangs on the list alone, which is looked at above.
  run("lacks a tool: refused by the server when it is sent all the same", async () => {
    const sent = await call(["call", "no_such_tool"], "--no-validate");
    expectRun(sent, { code: 1, stderr: /no_such_tool/ });
  });

  run(
    "bad arguments: refused by us, and by the server when they are sent all the same",
    async () => {
      expectRun(await call(["call", ...server.misfit]), { code: 2, stderr: /\S/ });
      const sent = await call(["call", ...server.misfit], "--no-validate");
      expectRun(sent, { code: 1, stderr: /\S/ });
    },
  );
}
