/**
 * Real servers from the registries, each through the real program: its list, one call with its exact result, a tool
 * that it does not have, bad arguments (refused before sending, and by the server itself), and a clean end.
 * Those in Python are fetched by `uvx`; without it they are skipped, and the test's name says so.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";

import { expectRun, mcphost, root, tempDir } from "./harness.ts";
import { nothingLeft } from "./processes.ts";

interface RealServer {
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

const folder = await tempDir();
await Bun.write(folder.file("note.txt"), "kept as it is\n");
afterAll(() => folder[Symbol.asyncDispose]());

const bun = process.execPath;
const installed = (name: string) => [bun, join(root, "node_modules", name, "dist/index.js")];
const fixture = (name: string, ...args: string[]) => [
  bun,
  join(import.meta.dir, "fixtures/real", name),
  ...args,
];
const add = { lists: ["add"], call: ["add", "a=2", "b=40"], misfit: ["add", "a=two", "b=40"] };

const servers: RealServer[] = [
  {
    name: "server-everything, current",
    command: installed("@modelcontextprotocol/server-everything"),
    era: "legacy",
    lists: ["echo", "get-sum", "get-tiny-image"],
    call: ["get-sum", "a=2", "b=40"],
    result: "The sum of 2 and 40 is 42.\n",
    misfit: ["get-sum", "a=two", "b=40"],
  },
  {
    name: "server-everything 2025.8.18",
    command: installed("server-everything-2025.8.18"),
    era: "legacy",
    ...add,
    result: "The sum of 2 and 40 is 42.\n",
  },
  {
    name: "server-everything 0.6.2, which lives on after EOF",
    command: installed("server-everything-0.6.2"),
    era: "legacy",
    ...add,
    result: "The sum of 2 and 40 is 42.\n",
  },
  {
    name: "server-filesystem",
    command: [...installed("@modelcontextprotocol/server-filesystem"), folder.path],
    era: "legacy",
    lists: ["read_text_file", "write_file"],
    call: ["read_text_file", `path=${folder.file("note.txt")}`],
    result: "kept as it is\n",
    misfit: ["read_text_file", "path:=7"],
  },
  {
    name: "server-memory",
    command: installed("@modelcontextprotocol/server-memory"),
    flags: ["--env", `MEMORY_FILE_PATH=${folder.file("memory.json")}`],
    era: "legacy",
    lists: ["read_graph", "create_entities"],
    call: ["read_graph"],
    result: '{\n  "entities": [],\n  "relations": []\n}\n',
    misfit: ["create_entities", 'entities:="none"'],
  },
  {
    name: "server-sequential-thinking",
    command: installed("@modelcontextprotocol/server-sequential-thinking"),
    flags: ["--env", "DISABLE_THOUGHT_LOGGING=true"],
    era: "legacy",
    lists: ["sequentialthinking"],
    call: [
      "sequentialthinking",
      "thought=one",
      "nextThoughtNeeded=false",
      "thoughtNumber=1",
      "totalThoughts=1",
    ],
    result: `${JSON.stringify(
      {
        thoughtNumber: 1,
        totalThoughts: 1,
        nextThoughtNeeded: false,
        branches: [],
        thoughtHistoryLength: 1,
      },
      null,
      2,
    )}\n`,
    misfit: ["sequentialthinking", "thought=one", "thoughtNumber=first"],
  },
  { name: "SDK 1.x", command: fixture("sdk1.ts"), era: "legacy", ...add, result: "42\n" },
  {
    name: "SDK 2.x, both eras",
    command: fixture("sdk2.ts"),
    era: "modern",
    ...add,
    result: "42\n",
  },
  {
    name: "SDK 2.x, modern only",
    command: fixture("sdk2.ts", "modern-only"),
    era: "modern",
    ...add,
    result: "42\n",
  },
  { name: "fastmcp", command: fixture("fastmcp.ts"), era: "legacy", ...add, result: "42\n" },
  {
    name: "mcp-hello-world, which logs on stdout",
    command: [bun, join(root, "node_modules/mcp-hello-world/build/stdio.js")],
    era: "legacy",
    lists: ["echo", "add"],
    call: ["add", "a=2", "b=40"],
    result: "The sum is: 42\n",
    stderr: /^mcphost: warning: \[server\] it wrote on stdout what is no message .*Executing add/,
    misfit: ["add", "a=two", "b=40"],
  },
];

/** What uv itself is told about caches and certificates; each of these servers gets all of ours. */
const uvEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(UV_|SSL_|PIP_)/.test(name)),
);
const uvx = Bun.which("uvx");
const python = [
  {
    name: "mcp-server-time (PyPI)",
    command: [uvx ?? "uvx", "-q", "mcp-server-time", "--local-timezone=UTC"],
    era: "modern" as const,
    lists: ["get_current_time", "convert_time"],
    call: ["convert_time", "source_timezone=UTC", "time=12:00", "target_timezone=Asia/Tokyo"],
    result: /"time_difference": ?"\+9\.0h"/,
    misfit: ["convert_time", "source_timezone=UTC"],
  },
  {
    name: "mcp-server-git (PyPI)",
    command: [uvx ?? "uvx", "-q", "mcp-server-git"],
    era: "modern" as const,
    lists: ["git_status", "git_log"],
    call: ["git_branch", `repo_path=${root}`, "branch_type=local"],
    result: /\S/,
    misfit: ["git_branch", "branch_type=local"],
  },
  ...["1.30.0", "2.3.0"].map((version): RealServer => ({
    name: `Python SDK ${version}`,
    command: [
      uvx?.replace(/uvx$/, "uv") ?? "uv",
      "run",
      "-q",
      "--no-project",
      "--with",
      `mcp==${version}`,
      "python",
      join(import.meta.dir, "fixtures/real/sdk_python.py"),
    ],
    era: version.startsWith("1") ? "legacy" : "modern",
    ...add,
    result: "42\n",
  })),
];

describe.each(servers)("$name", (server) => exercise(server, test));
describe.each(python)(uvx === null ? "$name: skipped, there is no uvx here" : "$name", (server) =>
  exercise(server, uvx === null ? test.skip : test),
);

/** The first of a Python server fetches it. */
const testMs = 120_000;

function exercise(server: RealServer, tester: typeof test | typeof test.skip): void {
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

  run("lacks a tool: refused by us, and by the server when it is sent all the same", async () => {
    expectRun(await call(["call", "no_such_tool"]), { code: 2, stderr: /no_such_tool/ });
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
