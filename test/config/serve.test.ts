/** What a config says of `serve`: read, merged, refused, and told to editors. */
import { expect, test } from "bun:test";

import { configJsonSchema } from "../../lib/config/json-schema.ts";
import { configOf, errorOf, folderWith, load } from "./kit.ts";

const whole = {
  host: "0.0.0.0",
  port: 8080,
  origins: ["http://localhost:8081", "https://page.example/"],
  tokens: [
    { name: "ci", token: "${secret:ci}", tools: ["fs_*"] },
    { name: "me", token: "x" },
  ],
  publicUrl: "https://tools.example.com",
};

test("is read whole, tokens as they are written", async () => {
  const { serve } = await configOf(JSON.stringify({ mcpServers: {}, serve: whole }));
  const origin = { kind: "named", label: "servers.json" };
  expect(serve).toMatchObject({
    ...whole,
    tokens: whole.tokens.map((token) => ({ ...token, origin })),
  });
});

test("the user's own holds where another file is named, which wins key by key", async () => {
  const own = { port: 1, origins: ["http://own.example"] };
  await using folder = await folderWith({
    "config/mcphost/config.json": JSON.stringify({ serve: own }),
    "named.json": JSON.stringify({ mcpServers: {}, serve: { port: 2 } }),
  });
  const env = { HOME: folder.path, XDG_CONFIG_HOME: folder.file("config") };
  const { serve } = await load({ files: ["named.json"], cwd: folder.path, env });
  expect(serve).toEqual({ ...own, port: 2 });
});

test("what a project that was found says has no effect, with a warning", async () => {
  await using folder = await folderWith({
    "mcphost.json": JSON.stringify({ mcpServers: {}, serve: whole }),
  });
  const { serve, warnings } = await load({ cwd: folder.path });
  expect(serve).toEqual({});
  expect(warnings.join("\n")).toContain("mcphost.json: its serve has no effect");
});

test("page is known, and told to do nothing yet", async () => {
  const { serve, warnings } = await configOf(`{"mcpServers": {}, "serve": {"page": true}}`);
  expect(serve).toEqual({});
  expect(warnings).toEqual([
    "servers.json: this version does not know serve.page yet; it has no effect",
  ]);
});

test.each([
  "chrome-extension://abcdefgh",
  "moz-extension://0f-1a",
  "tauri://localhost",
  "app://.",
  "http://[::1]:8080",
])("%j is one, as apps and extensions have them", async (origin) => {
  const { serve } = await configOf(
    JSON.stringify({ mcpServers: {}, serve: { origins: [origin] } }),
  );
  expect(serve.origins).toEqual([origin]);
  const text = JSON.stringify({ mcpServers: {}, serve: { publicUrl: "tauri://localhost" } });
  expect((await errorOf(() => configOf(text))).message).toContain("serve.publicUrl: expected");
});

test.each([
  "ftp://x",
  "ws://x",
  "file:///",
  "tauri:",
  "x",
  "http://",
  "http://x/path",
  "http://u@x",
  "http://x?q",
  "*",
  "null",
])("%j is no origin", async (origin) => {
  const text = JSON.stringify({ mcpServers: {}, serve: { origins: [origin] } });
  const error = await errorOf(() => configOf(text));
  expect(error.message).toContain("serve.origins[0]: expected an origin such as");
});

test("no error shows a token", async () => {
  const tokens = [{ name: 7, token: "s3cr3t" }];
  const text = JSON.stringify({ mcpServers: {}, serve: { tokens } });
  const error = await errorOf(() => configOf(text));
  expect(JSON.stringify([error.message, error.facts, error.hint])).not.toContain("s3cr3t");
});

test("editors are told of it", async () => {
  const { properties } = (await configJsonSchema()) as any;
  const { serve } = properties;
  expect(Object.keys(serve.properties)).toEqual([...Object.keys(whole), "page"]);
  expect(serve.additionalProperties).toBe(false);
  expect(serve.properties.tokens.items.required).toEqual(["name", "token"]);
});
