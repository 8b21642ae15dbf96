/** Shapes of config that name their servers in one object, as editors and assistants write them. */
import { test } from "bun:test";

import { http, reads, stdio } from "./shapes-kit.ts";
import type { Shape } from "./shapes-kit.ts";

const shapes: Shape[] = [
  {
    from: "Cursor, Claude Desktop",
    text: `{"mcpServers": {"fs": {"command": "npx", "args": ["-y", "pkg", "."], "env": {"A": "1"}}}}`,
    servers: [{ ...stdio, name: "fs", command: "npx", args: ["-y", "pkg", "."], env: { A: "1" } }],
  },
  {
    from: "Claude Code: kinds of link",
    text: `{"mcpServers": {"a": {"type": "http", "url": "https://a/mcp", "headers": {"K": "v"}},
      "b": {"type": "sse", "url": "https://b/sse"}, "c": {"type": "ws", "url": "wss://c"},
      "d": {"type": "stdio", "command": "d"}, "e": {"url": "https://e/mcp"}, "f": {"url": "ws://f"}}}`,
    servers: [
      { ...http, name: "a", transport: "http", url: "https://a/mcp", headers: { K: "v" } },
      { ...http, name: "b", transport: "sse", url: "https://b/sse" },
      { ...http, name: "c", transport: "ws", url: "wss://c" },
      { ...stdio, name: "d", command: "d" },
      { ...http, name: "e", url: "https://e/mcp" },
      { ...http, name: "f", transport: "ws", url: "ws://f" },
    ],
  },
  {
    from: "headers as lines, and tools that are left out by another word",
    text: `{"mcpServers": {"a": {"type": "streamable", "url": "https://a/mcp", "excludedTools": ["rm"],
      "headers": ["Authorization: Bearer a:b", "X-Empty:"]}}}`,
    servers: [
      {
        ...http,
        name: "a",
        transport: "http",
        url: "https://a/mcp",
        headers: { Authorization: "Bearer a:b", "X-Empty": "" },
        deniedTools: ["rm"],
      },
    ],
  },
  {
    from: "Windsurf",
    text: `{"mcpServers": {"a": {"serverUrl": "https://a/mcp", "disabled": true, "disabledTools": ["rm"]}}}`,
    servers: [{ ...http, name: "a", url: "https://a/mcp", disabled: true, deniedTools: ["rm"] }],
  },
  {
    from: "Gemini CLI",
    text: `{"theme": "x", "mcpServers": {"a": {"httpUrl": "https://a/mcp", "timeout": 5000, "trust": false,
      "includeTools": ["x"], "excludeTools": ["y"]}, "b": {"command": "b", "cwd": "./s"}}}`,
    servers: [
      {
        ...http,
        name: "a",
        transport: "http",
        url: "https://a/mcp",
        timeoutMs: 5000,
        allowedTools: ["x"],
        deniedTools: ["y"],
      },
      { ...stdio, name: "b", command: "b", cwd: "./s" },
    ],
  },
  {
    from: "Cline, Roo",
    text: `{"mcpServers": {"a": {"type": "streamableHttp", "url": "https://a", "autoApprove": ["x"], "timeout": 60},
      "b": {"transportType": "stdio", "command": "b", "alwaysAllow": [], "disabled": false}}}`,
    servers: [
      {
        ...http,
        name: "a",
        transport: "http",
        url: "https://a",
        toolsWithoutApproval: ["x"],
        timeoutMs: 60000,
      },
      { ...stdio, name: "b", command: "b", toolsWithoutApproval: [], disabled: false },
    ],
  },
  {
    from: "llama-server",
    text: `{"mcpServers": {"a": {"command": "a", "args": [], "cwd": "/w", "timeout_ms": 500}}}`,
    servers: [{ ...stdio, name: "a", command: "a", cwd: "/w", timeoutMs: 500 }],
  },
  {
    from: "VS Code",
    text: `{ // comments, and commas at ends
      "inputs": [{"type": "promptString", "id": "key", "description": "API key", "password": true},],
      "servers": {"a": {"type": "stdio", "command": "a", "envFile": "\${workspaceFolder}/.env",
        "env": {"K": "\${input:key}"}, "dev": {"watch": "x"}, /* and this */ },},
    }`,
    servers: [
      {
        ...stdio,
        name: "a",
        command: "a",
        env: { K: "${input:key}" },
        envFile: "${workspaceFolder}/.env",
      },
    ],
  },
  {
    from: "secrets",
    text: `{"servers": {"a": {"command": "a", "args": ["x"], "env": {"T": "\${secret:tok}"}}}}`,
    servers: [{ ...stdio, name: "a", command: "a", args: ["x"], env: { T: "${secret:tok}" } }],
  },
  {
    from: "the settings of VS Code",
    text: `{"editor.fontSize": 12, "mcp": {"inputs": [], "servers": {"a": {"command": "a"}, "b": {"url": "https://b/mcp"}}}}`,
    servers: [
      { ...stdio, name: "a", command: "a" },
      { ...http, name: "b", url: "https://b/mcp" },
    ],
  },
  {
    from: "Gemini CLI, with filters of its own",
    text: `{"mcp": {"allowed": ["a"], "excluded": ["b"], "serverCommand": "x"}, "extensions": {"disabled": ["e"]},
      "mcpServers": {"a": {"command": "a"}}}`,
    servers: [{ ...stdio, name: "a", command: "a" }],
  },
  {
    from: "Cherry Studio",
    text: `{"mcpServers": {
      "a": {"isActive": true, "name": "A", "type": "streamableHttp", "baseUrl": "https://a/mcp", "command": "", "args": [], "env": {}},
      "b": {"isActive": false, "type": "stdio", "command": "b", "args": ["x"], "timeout": 60}}}`,
    servers: [
      { ...http, name: "a", transport: "http", url: "https://a/mcp", disabled: false },
      { ...stdio, name: "b", command: "b", args: ["x"], disabled: true, timeoutMs: 60_000 },
    ],
  },
  {
    from: "Jan, and opencode where it only switches off what another file has",
    text: `{"mcpServers": {"a": {"command": "a", "active": false}, "b": {"enabled": false}, "c": {"type": "remote", "enabled": false}}}`,
    servers: [
      { ...stdio, name: "a", command: "a", disabled: true },
      { ...stdio, name: "b", command: "", disabled: true },
      { ...stdio, name: "c", command: "", disabled: true },
    ],
  },
  {
    from: "Amp",
    text: `{"amp.permissions": [], "amp.mcpServers": {"a": {"command": "a", "args": ["x"], "includeTools": ["t*"]},
      "b": {"url": "https://b/mcp", "headers": {"H": "v"}}}}`,
    servers: [
      { ...stdio, name: "a", command: "a", args: ["x"], allowedTools: ["t*"] },
      { ...http, name: "b", url: "https://b/mcp", headers: { H: "v" } },
    ],
  },
];

test.each(shapes)("reads $from", reads);
