/** Every shape of config that hosts write, from its text to the checked value. */
import { expect, test } from "bun:test";

import { configOf, folderWith, load, plain } from "./kit.ts";

const lazy = { protocol: "auto", lifecycle: "lazy" };
const stdio = { ...lazy, kind: "stdio", args: [], env: {} };
const http = { ...lazy, kind: "http", transport: "auto", headers: {} };

const shapes: { from: string; file?: string; text: string; servers: object[] }[] = [
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
    from: "the settings of VS Code",
    text: `{"editor.fontSize": 12, "mcp": {"inputs": [], "servers": {"a": {"command": "a"}, "b": {"url": "https://b/mcp"}}}}`,
    servers: [
      { ...stdio, name: "a", command: "a" },
      { ...http, name: "b", url: "https://b/mcp" },
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
    from: "Gemini CLI, with filters of its own",
    text: `{"mcp": {"allowed": ["a"], "excluded": ["b"], "serverCommand": "x"}, "extensions": {"disabled": ["e"]},
      "mcpServers": {"a": {"command": "a"}}}`,
    servers: [{ ...stdio, name: "a", command: "a" }],
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
  {
    from: "ours, with every key",
    text: `{"mcpServers": {"a": {"command": ["a", "b"], "args": ["c"], "env": {"N": 1.10, "B": true, "U": null,
      "BIG": 12345678901234567890}, "envFile": ".env", "cwd": "w", "inheritEnv": true, "protocol": "2025-06-18",
      "timeoutMs": 1, "startTimeoutMs": 2.0, "stopMs": 3, "concurrency": 4, "lifecycle": "eager", "idleMs": 5,
      "queueMax": 0, "queueMs": 6,
      "restart": false, "prefix": "", "allowedTools": [], "deniedTools": ["x*"], "rename": {"p": "q"},
      "approval": "always", "toolsWithoutApproval": ["z"], "disabled": false, "roots": ["/r"], "share": "client"}}}`,
    servers: [
      {
        kind: "stdio",
        name: "a",
        command: "a",
        args: ["b", "c"],
        env: { N: "1.10", B: "true", U: null, BIG: "12345678901234567890" },
        envFile: ".env",
        cwd: "w",
        inheritEnv: true,
        protocol: "2025-06-18",
        timeoutMs: 1,
        startTimeoutMs: 2,
        stopMs: 3,
        concurrency: 4,
        queueMax: 0,
        queueMs: 6,
        lifecycle: "eager",
        idleMs: 5,
        restart: false,
        prefix: "",
        allowedTools: [],
        deniedTools: ["x*"],
        rename: { p: "q" },
        approval: "always",
        toolsWithoutApproval: ["z"],
        disabled: false,
        roots: ["/r"],
        share: "client",
      },
    ],
  },
];

test.each(shapes)("reads $from", async ({ text, file, servers }) => {
  const config = await configOf(text, file);
  expect(config.bad).toEqual([]);
  expect(config.warnings).toEqual([]);
  expect(config.servers.map(plain)).toEqual(servers as Record<string, unknown>[]);
});

test("reads the inputs of VS Code", async () => {
  const config = await configOf(
    `{"servers": {}, "inputs": [{"id": "k", "type": "promptString", "description": "Key", "password": true},
      {"id": "p", "type": "pickString", "options": ["a", "b"], "default": "a"}]}`,
  );
  expect(config.inputs).toEqual({
    k: { description: "Key", password: true },
    p: {
      default: "a",
      options: [
        { value: "a", label: "a" },
        { value: "b", label: "b" },
      ],
    },
  });
});

test("reads the project of the current folder from Claude Code's own file", async () => {
  await using folder = await folderWith();
  const other = { command: "other" };
  const text = JSON.stringify({
    numStartups: 3,
    mcpServers: { everywhere: { command: "e" } },
    projects: {
      [folder.path]: { mcpServers: { here: { command: "h" } } },
      "/elsewhere": { mcpServers: { other } },
    },
  });
  const config = await load({ json: [text], cwd: folder.path });
  expect(config.servers.map((server) => server.name)).toEqual(["everywhere", "here"]);
  expect(config.warnings).toEqual([]);
});

const names = ["__proto__", "constructor", "a.b", "with space", "toString", "ü"];

test("takes any name for a server, those of prototypes too", async () => {
  const entries = names.map((name) => `${JSON.stringify(name)}: {"command": "c"}`);
  const config = await configOf(`{"mcpServers": {${entries.join(", ")}}}`);
  expect(config.servers.map((server) => server.name)).toEqual(names);
  expect(({} as Record<string, unknown>).command).toBeUndefined();
});

test("takes variables and headers named like prototypes", async () => {
  const config = await configOf(
    `{"mcpServers": {"a": {"command": "a", "env": {"__proto__": "x", "constructor": "y"}},
      "b": {"command": "b", "env": {"__proto__": {"polluted": true}}}}}`,
  );
  const [server] = config.servers;
  expect(Object.entries(server?.kind === "stdio" ? server.env : {})).toEqual([
    ["__proto__", "x"],
    ["constructor", "y"],
  ]);
  expect(config.bad.map((bad) => bad.reason)).toEqual([
    "mcpServers.b.env.__proto__: expected a string, number, true, false or null, found an object",
  ]);
});

const timeouts: [string, number | undefined][] = [
  ["999", 999_000],
  ["1000", 1000],
  ["0.5", 500],
  ["0", 2_147_483_647],
  [`"0s"`, 2_147_483_647],
  [`"30s"`, 30_000],
  [`"500ms"`, 500],
  [`"2m"`, 120_000],
  [`"60000"`, 60_000],
  [`"soon"`, undefined],
  ["-1", undefined],
  ["true", undefined],
];

test.each(timeouts)("reads a timeout of %s", async (text, expected) => {
  const config = await configOf(`{"mcpServers": {"a": {"command": "a", "timeout": ${text}}}}`);
  expect(config.servers[0]?.timeoutMs).toBe(expected);
  expect(config.bad.length).toBe(expected === undefined ? 1 : 0);
});
