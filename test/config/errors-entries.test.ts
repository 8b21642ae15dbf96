/** Entries of a config that are wrong are set apart, by place, what was expected and what was found. */
import { expect, test } from "bun:test";

import { linkKinds } from "../../lib/config/links.ts";
import { configOf } from "./kit.ts";

const bad: [entry: string, reason: string, hint?: string][] = [
  [`3`, "mcpServers.x: expected an object, found a number"],
  [`null`, "mcpServers.x: expected an object, found null"],
  [`{}`, "mcpServers.x: expected a command or a url, found neither"],
  [
    `{"command": 3}`,
    "mcpServers.x.command: expected a string, or an array of strings, found a number",
  ],
  [`{"command": ""}`, "mcpServers.x: expected a command or a url, found neither"],
  [`{"command": []}`, "mcpServers.x: expected a command or a url, found neither"],
  [`{"command": "a", "args": ["b", 3]}`, "mcpServers.x.args[1]: expected a string, found a number"],
  [
    `{"command": "a", "args": "b"}`,
    "mcpServers.x.args: expected an array of strings, found a string",
  ],
  [
    `{"url": "http://a", "env_vars": [{"source": "local"}]}`,
    "mcpServers.x.env_vars.0: expected a string, number, true, false or null, found an object; mcpServers.x.env_vars: expected an object, found an array",
  ],
  [
    `{"transport": {"type": "http", "url": "http://a"}}`,
    `mcpServers.x.transport: expected one of ${[...linkKinds.keys()].join(", ")}, found an object; mcpServers.x: expected a command or a url, found neither`,
  ],
  [
    `{"command": "a", "type": {}}`,
    `mcpServers.x.type: expected one of ${[...linkKinds.keys()].join(", ")}, found an object`,
  ],
  [`{"url": {}}`, "mcpServers.x.url: expected a string, found an object"],
  [`{"command": "a", "env": ["A=1"]}`, "mcpServers.x.env: expected an object, found an array"],
  [
    `{"command": "a", "environment": {"A": {}}}`,
    "mcpServers.x.environment.A: expected a string, number, true, false or null, found an object",
  ],
  [
    `{"command": "a", "env": {"BAD=K": "v"}}`,
    `mcpServers.x.env["BAD=K"]: the name of a variable is not empty and holds no = and no NUL`,
  ],
  [
    `{"command": "a", "env": {"A": "a\\u0000b"}}`,
    "mcpServers.x.env.A: a NUL character cannot be handed on",
  ],
  [`{"command": "a\\u0000b"}`, "mcpServers.x.command: a NUL character cannot be handed on"],
  [
    `{"url": "https://a", "headers": {"a b": "v"}}`,
    `mcpServers.x.headers["a b"]: this is no name of a header`,
  ],
  [
    `{"url": "https://a", "headers": {"a": ["secret"]}}`,
    "mcpServers.x.headers.a: expected a string, found an array",
  ],
  [`{"type": "http", "command": "a"}`, "mcpServers.x: a server of type http needs a url"],
  [`{"type": "stdio", "url": "https://a"}`, "mcpServers.x: a server of type stdio needs a command"],
  [
    `{"command": "a", "url": "https://a"}`,
    "mcpServers.x: both a command and a url; type says which counts (stdio, http, sse, ws)",
  ],
  [
    `{"command": "a", "protocol": "2025"}`,
    `mcpServers.x.protocol: expected one of auto, legacy, modern, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05`,
  ],
  [
    `{"comand": "a"}`,
    "mcpServers.x: expected a command or a url, found neither",
    `nobody knows the key "comand"; did you mean command?`,
  ],
  [
    `{"command": "a", "enabled": "yes"}`,
    "mcpServers.x.enabled: expected true or false, found a string",
  ],
  [
    `{"command": "a", "concurrency": 0}`,
    "mcpServers.x.concurrency: expected a whole number, 1 or more, found a number",
  ],
  [
    `{"command": "a", "timeoutMs": "5s"}`,
    "mcpServers.x.timeoutMs: expected a number of milliseconds, found a string",
  ],
];

test.each(bad.map(([entry, reason, hint]) => ({ entry, reason, hint })))(
  "sets apart $entry",
  async ({ entry, reason, hint }) => {
    const config = await configOf(`{"mcpServers": {"x": ${entry}, "good": {"command": "g"}}}`);
    expect(config.servers.map((server) => server.name)).toEqual(["good"]);
    expect(config.bad.map((server) => server.name)).toEqual(["x"]);
    expect(config.bad[0]?.reason).toStartWith(reason);
    expect(config.bad[0]?.hint).toBe(hint);
    // The hint is not said again.
    expect(config.warnings.join()).not.toContain(String(hint));
  },
);
