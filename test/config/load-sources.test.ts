/** Where servers come from, which source wins, and what flags give to every one. */
import { expect, test } from "bun:test";

import { bunAlone, root } from "../harness.ts";
import { errorOf, folderWith, load, names, one, plain } from "./kit.ts";

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
