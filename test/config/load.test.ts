/** Where servers come from, which source wins, and what always holds. */
import { expect, test } from "bun:test";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { findConfig } from "../../lib/config/find.ts";
import { bunAlone, root } from "../harness.ts";
import { errorOf, folderWith, load, plain } from "./kit.ts";

const one = (name: string, command = name) =>
  JSON.stringify({ mcpServers: { [name]: { command } } });
const names = (config: { servers: { name: string }[] }) =>
  config.servers.map((server) => server.name);

test("finds the nearest config going up; in a folder the first of the names counts", async () => {
  await using folder = await folderWith({
    "mcp.json": one("top"),
    "a/mcp.json": one("mcp"),
    "a/.mcp.json": one("dot"),
    "a/b/c/x": "",
    "d/mcphost.jsonc": one("jsonc"),
    "d/.mcp.json": one("dot"),
  });
  const found = async (name: string) =>
    (await findConfig(folder.file(name)))?.slice(folder.path.length);
  expect(await found("a/b/c")).toBe("/a/.mcp.json");
  expect(await found("d")).toBe("/d/mcphost.jsonc");
  await mkdir(folder.file("e/mcphost.json"), { recursive: true });
  expect(await found("e")).toBe("/mcp.json");
});

test("merges what was found over the user's own, and only the found needs trust", async () => {
  await using folder = await folderWith({
    "home/.config/mcphost/config.jsonc": `{"mcpServers": {"a": {"command": "user"}, "b": {"command": "user"}}} // mine`,
    "work/.mcp.json": one("b", "project"),
  });
  const env = { HOME: folder.file("home") };
  const config = await load({ cwd: folder.file("work"), env });
  expect(
    config.servers.map((server) => [server.name, server.origin.kind, plain(server).command]),
  ).toEqual([
    ["a", "user", "user"],
    ["b", "found", "project"],
  ]);
  expect(config.files.map((file) => file.label)).toEqual([
    "~/.config/mcphost/config.jsonc",
    ".mcp.json",
  ]);
});

test("takes MCPHOST_CONFIG instead of searching", async () => {
  await using folder = await folderWith({ "mcp.json": one("found"), "other.json": one("named") });
  const config = await load({ cwd: folder.path, env: { MCPHOST_CONFIG: "other.json" } });
  expect(config.servers.map((server) => [server.name, server.origin.kind])).toEqual([
    ["named", "named"],
  ]);
  const missing = await errorOf(() =>
    load({ cwd: folder.path, env: { MCPHOST_CONFIG: "no.json" } }),
  );
  expect([missing.code, missing.message]).toEqual(["config", "there is no file no.json"]);
});

test("searches for nothing where anything is named, but the user's policy and limits hold", async () => {
  await using folder = await folderWith({
    "xdg/mcphost/config.json": JSON.stringify({
      mcpServers: { user: { command: "u", nokey: 1 } },
      policy: [{ tools: "rm*", do: "deny" }],
      limits: { pagesMax: 7 },
    }),
    "work/.mcp.json": one("found"),
    "work/c.json": JSON.stringify({ mcpServers: {}, policy: [{ tools: "ls", do: "allow" }] }),
  });
  const world = { cwd: folder.file("work"), env: { XDG_CONFIG_HOME: folder.file("xdg") } };
  for (const options of [
    { rest: ["node", "s.js"] },
    { servers: ["server=node s.js"] },
    { json: [one("server", "node")] },
  ]) {
    const config = await load({ ...world, ...options });
    expect(names(config)).toEqual(["server"]);
    expect(config.policy).toMatchObject([{ tools: "rm*", do: "deny", origin: { kind: "user" } }]);
    expect(config.limits).toEqual({ pagesMax: 7 });
    expect(config.warnings).toEqual([]);
  }
  const both = await load({ ...world, files: ["c.json"], rest: ["x"] });
  expect(both.policy.map((rule) => rule.do)).toEqual(["deny", "allow"]);
  expect((await load({ ...world, rest: ["x"], noUserConfig: true })).policy).toEqual([]);
});

test("lets a found project tighten, and loosen nothing", async () => {
  await using folder = await folderWith({
    "mcphost.json": JSON.stringify({
      mcpServers: {},
      policy: [
        { tools: "*", do: "allow" },
        { tools: "rm", do: "deny" },
        { tools: "mv", do: "ask" },
      ],
      limits: { lineBytesMax: 1e12 },
    }),
  });
  const config = await load({ cwd: folder.path });
  expect(config.policy.map((rule) => rule.do)).toEqual(["deny", "ask"]);
  expect(config.limits).toEqual({});
  expect(config.warnings.length).toBe(2);
  const named = await load({ cwd: folder.path, files: ["mcphost.json"] });
  expect(named.policy.map((rule) => rule.do)).toEqual(["allow", "deny", "ask"]);
  expect(named.limits).toEqual({ lineBytesMax: 1e12 });
});

test("later sources win by name: files in order, inline, -s, --", async () => {
  await using folder = await folderWith({
    "1.json": `{"mcpServers": {"a": {"command": "1"}, "b": {"command": "1"}, "bad": {"command": "1"}}}`,
    "2.json": `{"mcpServers": {"b": {"command": "2"}, "c": {"command": "2"}, "bad": {"command": 2}}}`,
  });
  const config = await load({
    cwd: folder.path,
    files: ["1.json", "2.json"],
    json: [one("c", "json")],
    servers: ["d=spec", "server=spec"],
    rest: ["rest"],
  });
  expect(config.servers.map((server) => [server.name, plain(server).command])).toEqual([
    ["a", "1"],
    ["b", "2"],
    ["c", "json"],
    ["d", "spec"],
    ["server", "rest"],
  ]);
  expect(config.bad.map((bad) => bad.name)).toEqual(["bad"]);
});

test("reads all five ways to name servers", async () => {
  await using folder = await folderWith({ "servers.json": one("file") });
  const cwd = folder.path;
  expect(names(await load({ cwd, files: ["servers.json"] }))).toEqual(["file"]);
  expect(names(await load({ cwd, files: [folder.file("servers.json")] }))).toEqual(["file"]);
  expect(names(await load({ cwd, json: [one("inline")] }))).toEqual(["inline"]);
  const specs = await load({
    cwd,
    servers: [
      "serena:stdio:uvx --from serena-mcp serena-mcp",
      "docs:http:http://localhost:8080/mcp",
    ],
  });
  expect(specs.servers).toMatchObject([
    { name: "serena", kind: "stdio", command: "uvx", args: ["--from", "serena-mcp", "serena-mcp"] },
    { name: "docs", kind: "http", transport: "http", url: "http://localhost:8080/mcp" },
  ]);
});

test("takes the words behind -- as they stand", async () => {
  const rest = ["sh", "-c", "echo ${HOME} ~/x $env:A", ""];
  const config = await load({ cwd: "/", rest });
  expect(config.servers).toMatchObject([
    {
      name: "server",
      command: "sh",
      args: rest.slice(1),
      literal: true,
      origin: { kind: "named", label: "--" },
    },
  ]);
  expect((await errorOf(() => load({ cwd: "/", rest: [] }))).code).toBe("usage");
});

test("says which file is missing, unreadable or no text", async () => {
  await using folder = await folderWith({ "secret.json": "{}", "folder/x": "" });
  const of = (file: string) => errorOf(() => load({ cwd: folder.path, files: [file] }));
  expect((await of("none.json")).message).toBe("there is no file none.json");
  expect((await of("folder")).message).toStartWith("folder cannot be read");
  await Bun.write(folder.file("utf16.json"), new Uint8Array([0xff, 0xfe, 0x7b, 0]));
  expect((await of("utf16.json")).message).toBe("utf16.json is not UTF-8 text");
  await chmod(folder.file("secret.json"), 0);
  if (process.getuid?.() !== 0)
    expect((await of("secret.json")).message).toBe("secret.json cannot be read (EACCES)");
});

test("a broken file of the user's stops everything: its policy would be lost", async () => {
  await using folder = await folderWith({ "mcphost/config.json": `{"policy": [` });
  const env = { XDG_CONFIG_HOME: folder.path };
  const error = await errorOf(() => load({ cwd: "/", env, rest: ["x"] }));
  expect([error.code, error.facts.line, error.facts.column]).toEqual(["config", 1, 13]);
});

test("gives flags to every server: env, headers, cwd, protocol", async () => {
  const json = [
    `{"mcpServers": {"a": {"command": "a", "env": {"K": "config"}}, "b": {"url": "https://b", "headers": {"x": "1", "y": "2"}}}}`,
  ];
  const flags = {
    env: ["K=V=W", "OWN", "E="],
    headers: ["X: ${TOKEN}"],
    cwd: "/work",
    protocol: "legacy",
    inheritEnv: true,
  };
  const config = await load({ cwd: "/", env: { OWN: "${mine}" }, noUserConfig: true, json, flags });
  expect(config.servers).toMatchObject([
    {
      protocol: "legacy",
      cwd: "/work",
      inheritEnv: true,
      givenEnv: { K: "V=W", OWN: "${mine}", E: "" },
    },
    { protocol: "legacy", headers: { X: "${TOKEN}", y: "2" } },
  ]);
  for (const wrong of [
    { env: ["UNSET"] },
    { env: ["=x"] },
    { headers: ["secret"] },
    { protocol: "2025" },
  ]) {
    const error = await errorOf(() => load({ cwd: "/", json, flags: wrong }));
    expect(error.code).toBe("usage");
    expect(error.message).not.toContain("secret");
  }
});

test("loads neither valibot nor a module of Node for -- COMMAND", async () => {
  const script = `
    import { loadConfig } from ${JSON.stringify(`${root}/lib/config/load.ts`)};
    import { expandServer } from ${JSON.stringify(`${root}/lib/config/expand.ts`)};
    const { servers: [server], inputs } = await loadConfig({ rest: ["x"], cwd: "/", env: { HOME: "/nowhere" } });
    await expandServer(server, { env: {}, cwd: "/", home: undefined, given: new Map(), inputs, readFile: () => {} });
    console.log(Object.keys(require.cache).join("\\n"));
  `;
  await using folder = await folderWith({ "script.ts": script });
  await using child = Bun.spawn([...bunAlone, folder.file("script.ts")], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(err).toBe("");
  const loaded = out.split("\n").filter((line) => line.includes("/lib/config/"));
  expect(loaded.length).toBeGreaterThan(5);
  expect(out).not.toMatch(/valibot|node:|document\.ts|schema\.ts|files\.ts/);
});

test("a config may come through a pipe, which has to end", async () => {
  await using folder = await folderWith();
  const run = async (script: string) => {
    const code = `const { loadConfig } = await import(${JSON.stringify(join(root, "lib/config/load.ts"))});
      const config = await loadConfig({ files: [process.argv.at(-1)], cwd: "/", env: {}, noUserConfig: true })
        .catch((error) => ({ servers: [{ name: error.message }] }));
      console.log(config.servers[0].name); process.exit();`;
    await writeFile(folder.file("load.ts"), code);
    const words = ["sh", "-c", script, "sh", folder.file("pipe"), ...bunAlone];
    const proc = Bun.spawn([...words, folder.file("load.ts")], { stdin: "ignore", stdout: "pipe" });
    return (await proc.stdout.text()).trim();
  };
  expect(await run(`shift; echo '${one("piped")}' | "$@" /dev/stdin`)).toBe("piped");
  expect(
    await run(`mkfifo "$1"; pipe=$1; shift; { echo '${one("named")}' > "$pipe" & }; "$@" "$pipe"`),
  ).toBe("named");
  expect(await run(`pipe=$1; shift; "$@" "$pipe"`)).toEndWith(
    "/pipe cannot be read: nothing ended this pipe within 5000 ms",
  );
}, 20_000);

test.each(["/dev/zero", "/dev/null"])("a config is no device: %s", async (file) => {
  const error = await errorOf(() => load({ files: [file], cwd: "/" }));
  expect(error.message).toBe(`${file} cannot be read: it is a device, not a file`);
});
