/**
 * Real servers from the registry of npm, each through the real program: its list, one call with its exact result, a
 * tool that it does not have, bad arguments, and a clean end.
 */
import { afterAll, describe, test } from "bun:test";
import { join } from "node:path";

import { root, tempDir } from "./harness.ts";
import { add, exercise, type RealServer } from "./real-servers-kit.ts";

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
    env: { MEMORY_FILE_PATH: folder.file("memory.json") },
    era: "legacy",
    lists: ["read_graph", "create_entities"],
    call: ["read_graph"],
    result: '{\n  "entities": [],\n  "relations": []\n}\n',
    misfit: ["create_entities", 'entities:="none"'],
  },
  {
    name: "server-sequential-thinking",
    command: installed("@modelcontextprotocol/server-sequential-thinking"),
    env: { DISABLE_THOUGHT_LOGGING: "true" },
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

describe.each(servers)("$name", (server) => exercise(server, test));
