/** What is odd in a config is warned of, and starts all the same. */
import { expect, test } from "bun:test";

import { configOf } from "./kit.ts";

const warningsOf = async (text: string) => (await configOf(text)).warnings;

test("warns about keys that nobody knows, with the nearest, and starts the server all the same", async () => {
  const config = await configOf(
    `{"mcpServers": {"x": {"command": "a", "arg": ["b"], "zzz": 1, "_comment": "", "description": ""}}}`,
  );
  expect(config.servers.length).toBe(1);
  expect(config.warnings).toEqual([
    `servers.json: mcpServers.x: nobody knows the key "arg"; did you mean args?`,
    `servers.json: mcpServers.x: nobody knows the key "zzz"`,
  ]);
});

test("warns about keys that contradict each other, and about what stands there twice", async () => {
  const config = await configOf(`{"mcpServers": {
    "x": {"url": "https://a", "serverUrl": "https://b"},
    "y": {"command": "1"},
    "y": {"command": "2"}}}`);
  expect(
    config.servers.map((server) => (server.kind === "http" ? server.url : server.command)),
  ).toEqual(["https://a", "2"]);
  expect(config.warnings).toEqual([
    "servers.json: mcpServers.x: serverUrl and url say different things; url counts",
    "servers.json:4: mcpServers.y stands there twice; the later one counts",
  ]);
});

test("warns where two entries of a list have one name; the later one counts", async () => {
  const config = await configOf(
    `{"mcp_servers": [{"name": "a", "command": "1"}, {"name": "a", "command": "2"}, {"command": "3"}]}`,
  );
  expect(config.servers.map((server) => server.name)).toEqual(["a", "server3"]);
  expect(config.warnings).toEqual([
    "servers.json: two servers are called a; the one at mcp_servers[1] counts",
  ]);
});

test("warns where a named file has no servers, with the nearest key", async () => {
  expect((await configOf(`{"mcpServer": {}}`)).warnings).toEqual([
    `servers.json: nobody knows the key "mcpServer"; did you mean mcpServers?`,
  ]);
  // Of other programs, and no near miss of words that others of them have.
  expect((await configOf(`{"context": {}, "mcpServers": {}}`)).warnings).toEqual([]);
  expect((await configOf(`{}`)).warnings).toEqual([
    "servers.json: no servers in it (expected an object mcpServers, or another known shape)",
  ]);
});

test("the inside of a config alone is told what holds it", async () => {
  expect(await warningsOf(`{"fs": {"command": "npx", "args": ["-y", "x"]}}`)).toEqual([
    `servers.json: no servers in it ("fs" looks like one: {"mcpServers": {"fs": {…}}} holds it)`,
  ]);
  expect(await warningsOf(`{"docs": {"transport": "sse", "url": "https://docs/sse"}}`)).toEqual([
    `servers.json: no servers in it ("docs" looks like one: {"mcpServers": {"docs": {…}}} holds it)`,
  ]);
  expect(await warningsOf(`{"command": "npx", "args": []}`)).toEqual([
    `servers.json: no servers in it (it looks like one server: {"mcpServers": {"NAME": {…}}} holds it)`,
  ]);
});
