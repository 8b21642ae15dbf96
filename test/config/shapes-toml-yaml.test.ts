/** Shapes of config in TOML and YAML. */
import { test } from "bun:test";

import { http, reads, stdio } from "./shapes-kit.ts";
import type { Shape } from "./shapes-kit.ts";

const shapes: Shape[] = [
  {
    from: "Codex",
    file: "config.toml",
    text: `model = "x"
[mcp_servers.a]
command = "a" # started
args = ["--x"]
startup_timeout_sec = 20
tool_timeout_sec = 1.5
enabled = false
env_vars = ["TOKEN", { name = "OTHER", source = "local" }]
[mcp_servers.a.env]
K = "v"
[mcp_servers."b.c"]
url = "https://b/mcp"
bearer_token_env_var = "B_TOKEN"
http_headers = { X = "1" }
env_http_headers = { Y = "Y_VAR" }
enabled_tools = ["t"]
`,
    servers: [
      {
        ...stdio,
        name: "a",
        command: "a",
        args: ["--x"],
        env: { K: "v", TOKEN: "${env:TOKEN}", OTHER: "${env:OTHER}" },
        startTimeoutMs: 20_000,
        timeoutMs: 1500,
        disabled: true,
      },
      {
        ...http,
        name: "b.c",
        url: "https://b/mcp",
        headers: { Authorization: "Bearer ${env:B_TOKEN}", X: "1", Y: "${env:Y_VAR}" },
        allowedTools: ["t"],
      },
    ],
  },
  {
    from: "Goose",
    file: "config.yaml",
    text: `GOOSE_MODEL: x
extensions:
  a:
    name: A
    type: stdio
    cmd: npx
    args: [-y, pkg]
    envs: { K: v }
    env_keys: [TOKEN]
    timeout: 300
    enabled: true
    bundled: null
    display_name: The A
    available_tools: []
  far:
    type: streamable_http
    uri: https://far/mcp
    headers:
      H: v
    enabled: false
    available_tools: [t]
  developer: { type: builtin, name: developer, enabled: true, bundled: true, timeout: 300 }
  todo: { type: platform, name: todo, enabled: true }
`,
    servers: [
      {
        ...stdio,
        name: "a",
        command: "npx",
        args: ["-y", "pkg"],
        env: { K: "v", TOKEN: "${env:TOKEN}" },
        timeoutMs: 300_000,
        disabled: false,
      },
      {
        ...http,
        name: "far",
        transport: "http",
        url: "https://far/mcp",
        headers: { H: "v" },
        disabled: true,
        allowedTools: ["t"],
      },
    ],
  },
  {
    from: "Continue",
    file: "config.yml",
    text: `name: My config
version: 0.0.1
schema: v1
models: [{ name: x, provider: y }]
mcpServers:
  - name: a b
    command: npx
    args:
      - -y
      - &pkg "@x/y"
    env: { K: *pkg }
  - name: far
    type: streamable-http
    url: https://far/mcp
    connectionTimeout: 3000
    requestOptions: { headers: { H: v } }
`,
    servers: [
      { ...stdio, name: "a b", command: "npx", args: ["-y", "@x/y"], env: { K: "@x/y" } },
      {
        ...http,
        name: "far",
        transport: "http",
        url: "https://far/mcp",
        headers: { H: "v" },
        startTimeoutMs: 3000,
      },
    ],
  },
];

test.each(shapes)("reads $from", reads);
