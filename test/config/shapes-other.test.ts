/** Shapes of config with words of their own: lists of servers, commands as lists, and settings around them. */
import { test } from "bun:test";

import { http, reads, stdio } from "./shapes-kit.ts";
import type { Shape } from "./shapes-kit.ts";

const shapes: Shape[] = [
  {
    from: "llms.py",
    text: `{"servers": [{"id": "docs", "displayName": "Docs", "endpoint": "https://docs/mcp",
      "auth": {"mode": "anonymous"}, "allowedTools": ["*"], "deniedTools": ["rm*"], "includeInAll": true,
      "approval": "never", "toolsWithoutApproval": ["read"], "oauthScopes": []}]}`,
    servers: [
      {
        ...http,
        name: "docs",
        url: "https://docs/mcp",
        allowedTools: ["*"],
        deniedTools: ["rm*"],
        approval: "never",
        toolsWithoutApproval: ["read"],
      },
    ],
  },
  {
    from: "llama.cpp articles",
    text: `{"mcp_servers": [
      {"name": "serena", "transport": "stdio", "command": "uvx", "args": ["serena"], "timeout": 30, "tools": ["find"]},
      {"name": "docs", "transport": "http", "url": "http://localhost:8080/mcp", "timeout": 2000},
      {"name": "slow", "transport": "stdio", "command": "s", "timeout": "2m"}]}`,
    servers: [
      {
        ...stdio,
        name: "serena",
        command: "uvx",
        args: ["serena"],
        allowedTools: ["find"],
        timeoutMs: 30_000,
        startTimeoutMs: 30_000,
      },
      {
        ...http,
        name: "docs",
        transport: "http",
        url: "http://localhost:8080/mcp",
        timeoutMs: 2_000_000,
        startTimeoutMs: 2_000_000,
      },
      { ...stdio, name: "slow", command: "s", timeoutMs: 120_000, startTimeoutMs: 120_000 },
    ],
  },
  {
    from: "opencode, with a server that is called servers",
    text: `{"mcp": {"servers": {"type": "local", "command": ["s"]}}}`,
    servers: [{ ...stdio, name: "servers", command: "s" }],
  },
  {
    from: "opencode",
    text: `{"$schema": "https://opencode.ai/config.json", "mcp": {
      "a": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"K": "{env:K}"}, "enabled": true},
      "b": {"type": "remote", "url": "https://b/mcp", "headers": {"H": "v"}, "enabled": false, "timeout": 5000}}}`,
    servers: [
      {
        ...stdio,
        name: "a",
        command: "npx",
        args: ["-y", "x"],
        env: { K: "{env:K}" },
        disabled: false,
      },
      {
        ...http,
        name: "b",
        url: "https://b/mcp",
        headers: { H: "v" },
        disabled: true,
        timeoutMs: 5000,
      },
    ],
  },
  {
    from: "Zed",
    text: `// its settings
    {"theme": "One", "context_servers": {
      "a": {"source": "custom", "enabled": true, "command": "a", "args": ["x"], "env": {"K": "v"}},
      "older": {"source": "custom", "command": {"path": "b", "args": ["y"], "env": {}}, "settings": {"k": 1}},
      "far": {"url": "https://far/mcp", "headers": {"H": "v"}, "remote": false},
      "off": {"enabled": false, "command": "c", "args": []},
      "extension": {"source": "extension", "settings": {"key": "x"}}, "its-settings": {"settings": {}},
    }}`,
    servers: [
      { ...stdio, name: "a", command: "a", args: ["x"], env: { K: "v" }, disabled: false },
      { ...stdio, name: "older", command: "b", args: ["y"] },
      { ...http, name: "far", url: "https://far/mcp", headers: { H: "v" } },
      { ...stdio, name: "off", command: "c", disabled: true },
    ],
  },
];

test.each(shapes)("reads $from", reads);
