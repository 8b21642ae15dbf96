/** Our own shape of config with every key, and what else a config of any shape holds: inputs, projects, names, timeouts. */
import { expect, test } from "bun:test";

import { configOf, folderWith, load } from "./kit.ts";
import { reads } from "./shapes-kit.ts";
import type { Shape } from "./shapes-kit.ts";

const shapes: Shape[] = [
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

test.each(shapes)("reads $from", reads);

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
