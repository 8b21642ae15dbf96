/**
 * Real servers in Python, each through the real program. They are fetched by `uvx`; without it they are skipped, and
 * the test's name says so.
 */
import { describe, test } from "bun:test";
import { join } from "node:path";

import { root } from "./harness.ts";
import { add, exercise, type RealServer } from "./real-servers-kit.ts";

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

describe.each(python)(uvx === null ? "$name: skipped, there is no uvx here" : "$name", (server) =>
  // uv asks the registry each time, and is waited for.
  exercise(server, uvx === null ? test.skip : test.concurrent),
);
